// Tests that no write is lost after the server has confirmed it, even after kill -9 of the server or of the
// database.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertError } from "./support/errors.ts";
import { Project } from "./support/project.ts";
import type { RunningApp } from "./support/running-app.ts";
import type { NoteJson, PageJson } from "./support/wire.ts";

/** Number of notes that the server confirms before each kill. */
const NOTES_BEFORE_KILL = 50;

let project: Project;

before(async () => {
  project = await Project.ready();
});
after(() => project?.remove());

async function read(app: RunningApp, id: string): Promise<NoteJson> {
  const answer = await app.as("ada").get<NoteJson>(`/notes/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

test("kill -9 of the server during writes loses no confirmed write", async () => {
  const answered: NoteJson[] = [];
  for (let round = 0; round < 3; round += 1) {
    const app = await project.start();
    let killed = false;
    const enough = Promise.withResolvers<void>();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let count = 0; ; count += 1) {
        try {
          const body = { title: `round ${round} writer ${writer} note ${count}`, content: "c" };
          const answer = await app.as("ada").post<NoteJson>("/notes", body);
          assert.equal(answer.status, 201, answer.text);
          answered.push(answer.body);
          if (answered.length >= (round + 1) * NOTES_BEFORE_KILL) enough.resolve();
        } catch (error) {
          if (killed && !(error instanceof assert.AssertionError)) return;
          throw error;
        }
      }
    });
    // Kills in the middle of the writes: a fixed time would allow too few writes on a loaded machine.
    const writing = Promise.all(writers);
    await Promise.race([enough.promise, writing]);
    killed = true;
    await app.kill();
    await writing;
  }

  const app = await project.start();
  for (const note of answered) assert.deepEqual(await read(app, note.id), note);
  const { pagination } = (await app.as("ada").get<PageJson>("/notes")).body;
  assert.ok(pagination.total >= answered.length);
  await app.stop();
});

test("kill -9 of the database loses no confirmed write, and the server connects again", async () => {
  const app = await project.start();
  const answer = await app.as("ada").post<NoteJson>("/notes", { title: "kept", content: "c" });
  const pidFile = await readFile(join(project.root, ".data/postgres/cluster/postmaster.pid"), "utf8");
  process.kill(Number.parseInt(pidFile, 10), "SIGKILL");

  const path = `/notes/${answer.body.id}`;
  let again = await app.as("ada").get<NoteJson>(path);
  for (let attempt = 0; attempt < 100 && again.status !== 200; attempt += 1) {
    assertError(again, 503, "SERVICE_UNAVAILABLE");
    await new Promise((wake) => setTimeout(wake, 100));
    again = await app.as("ada").get<NoteJson>(path);
  }
  assert.deepEqual(again.body, answer.body);
  assert.deepEqual(await app.stop(), { code: 0, signal: null });
});

test("two servers that share a database see each other's writes", async () => {
  const [one, two] = await Promise.all([project.start(), project.start()]);
  const answer = await one.as("ada").post<NoteJson>("/notes", { title: "shared", content: "c" });
  assert.deepEqual(await read(two, answer.body.id), answer.body);
  await Promise.all([one.stop(), two.stop()]);
});
