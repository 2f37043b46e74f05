// Tests that the server exits when it is told to, and loses no request that it has accepted.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Load, type Sent } from "../support/load.ts";
import { Project } from "../support/project.ts";
import type { RunningApp } from "../support/running-app.ts";
import type { NoteJson, PageJson } from "../support/wire.ts";

let project: Project;

before(async () => {
  project = await Project.ready();
});
after(() => project?.remove());

/** Returns the titles of all notes, the newest first. */
async function titles(app: RunningApp): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; ; page += 1) {
    const answer = await app.as("ada").get<PageJson>(`/notes?page=${page}&pageSize=100`);
    assert.equal(answer.status, 200, answer.text);
    found.push(...answer.body.data.map(({ title }) => title));
    if (page >= answer.body.pagination.totalPages) return found;
  }
}

for (const [signal, rounds] of [
  ["SIGTERM", 6],
  ["SIGINT", 2],
] as const) {
  test(`${signal} under load loses no accepted request, in ${rounds} rounds`, async () => {
    const sent: Sent[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const app = await project.start({ mode: "production" });
      const load = new Load(app, `${signal} ${round}`);
      // Each round stops the server at another time.
      await load.until(100 + round * 7);
      const ended = app.stop(signal);
      load.signalled();
      sent.push(...(await load.end()));
      assert.deepEqual(await ended, { code: 0, signal: null });
      assert.equal(app.stderr, "");
    }
    for (const { title, outcome, wasWritten } of sent) {
      if (outcome.kind === "answer") assert.equal(outcome.status, 201, `${title}: ${outcome.text}`);
      else
        assert.ok(!wasWritten, `${title} had left before the signal, and was not answered: ${outcome.error}`);
    }
    const answered = sent.filter(({ outcome }) => outcome.kind === "answer").map(({ title }) => title);
    assert.ok(answered.length > rounds * 100);

    // Requests that were refused have had no effect, and confirmed writes are stored.
    const app = await project.start();
    const kept = (await titles(app)).filter((title) => title.startsWith(signal));
    await app.stop();
    assert.deepEqual(kept.toSorted(), answered.toSorted());
  });
}

test("notes still exist after a restart of the server", async () => {
  const first = await project.start();
  const answer = await first.as("ada").post<NoteJson>("/notes", { title: "kept", content: "c" });
  assert.equal(answer.status, 201);
  assert.deepEqual(await first.stop(), { code: 0, signal: null });

  const second = await project.start({ mode: "production" });
  const again = await second.as("ada").get<NoteJson>(`/notes/${answer.body.id}`);
  assert.deepEqual(again.body, answer.body);
  await second.stop();
});

test("a server reports a port in use in three lines", async () => {
  const app = await project.start();
  await assert.rejects(project.start({ env: { PORT: String(app.port) } }), (error: Error) => {
    const [what, where, help] = error.message.split("\n").slice(-4);
    assert.equal(what, `error: port ${app.port} is in use by another program (EADDRINUSE)`);
    assert.equal(where, `  at 127.0.0.1, port ${app.port}`);
    assert.match(
      help!,
      new RegExp(
        `^help: stop that program \\(\`lsof -i :${app.port}\` names it\\), or choose another port: `,
      ),
    );
    return true;
  });
  assert.equal((await app.as("ada").get("/notes")).status, 200, "the first one goes on");
  await app.stop();
});
