// Tests `kit test:contracts --runs`: it finds a handler that breaks its contract only for some values, reduces the request, and prints
// a command that sends the request again.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { run } from "./support/command.ts";
import { Project } from "./support/project.ts";

interface Failure {
  readonly name: string;
  readonly message: string;
}

interface Result {
  readonly passed: number;
  readonly random: { readonly runs: number; readonly seed: number };
  readonly failures: readonly Failure[];
}

/** Mistake in a handler, which fails for titles longer than this. No limit of the contract is close to it. */
const BREAKS = 'if (body.title.length > 7 && body.archived) throw new Error("on purpose");';

describe("random requests of kit test:contracts", { timeout: 300_000 }, () => {
  let project: Project;
  let handlers: string;
  before(async () => {
    project = await Project.ready();
    handlers = join(project.root, "src/notes.handlers.ts");
  });
  after(() => project.remove());

  const tested = async (...args: readonly string[]): Promise<Result & { readonly code: number | null }> => {
    const { stdout, code } = await project.kit(["test:contracts", "--json", ...args], { timeout: 200_000 });
    return { ...(JSON.parse(stdout) as Result), code };
  };

  test("find a bug that only some values reveal, and print the smallest request that reveals the bug", async () => {
    const right = await readFile(handlers, "utf8");
    const start = '"POST /notes": async ({ body, ctx }) => {';
    assert.ok(right.includes(start));
    await writeFile(handlers, right.replace(start, `${start}\n    ${BREAKS}`));
    const found = await tested("--runs", "50", "--seed", "7");
    assert.equal(found.code, 1);
    assert.deepEqual(found.random, { runs: 50, seed: 7 });
    const failure = found.failures.find(({ name }) => name.includes("random"));
    assert.ok(failure, JSON.stringify(found.failures));
    assert.match(failure.name, /POST \/notes > takes 50 random requests$/);
    assert.match(failure.message, /^POST \/notes failed with INTERNAL_SERVER_ERROR/);
    const [, sent = "{}"] = /^curl -i .* --data-raw '(.*)'$/m.exec(failure.message) ?? [];
    const body = JSON.parse(sent.replaceAll(String.raw`'\''`, "'")) as { title: string; content: string };
    assert.deepEqual([body.title.length, body.content], [8, ""], failure.message);

    const command = /^kit (test:contracts --seed 7 --replay '(POST \/notes valid [\d:]+)')$/m.exec(
      failure.message,
    );
    assert.ok(command, failure.message);
    const again = await tested("--seed", "7", "--replay", command[2] ?? "");
    assert.equal(again.code, 1);
    assert.deepEqual(
      again.failures.map(({ name }) => name.split(" > ").at(-1)),
      ["takes a random request again"],
    );
    assert.ok(again.failures[0]?.message.includes(`--data-raw '${sent}'`), again.failures[0]?.message);

    const same = await tested("--runs", "50", "--seed", "7");
    const message = same.failures.find(({ name }) => name.includes("random"))?.message ?? "";
    assert.ok(message.includes(`--data-raw '${sent}'`), "the same seed finds the same");

    await writeFile(handlers, right);
    const mended = await tested("--seed", "7", "--replay", command[2] ?? "");
    assert.deepEqual([mended.code, mended.passed], [0, 1]);
  });

  test("print a shell command that sends exactly the same request to the application", async () => {
    const right = await readFile(handlers, "utf8");
    await writeFile(
      handlers,
      right.replace("return note!;", 'return { ...note!, title: "it\'s".repeat(100) };'),
    );
    const { failures } = await tested();
    const line = failures
      .map(({ message }) => /^curl .*$/m.exec(message)?.[0])
      .find((one) => one?.includes("--data-raw"));
    assert.ok(line, JSON.stringify(failures));
    await writeFile(handlers, right);
    const app = await project.start();
    const sent = await run("bash", ["-c", line.replace("http://localhost:3000", app.url)], {
      cwd: project.root,
    });
    assert.match(sent.stdout, /^HTTP\/1\.1 201 /, line);
  });

  test("are refused with an explanation if the value of --replay is invalid", async () => {
    const { failures } = await tested("--seed", "7", "--replay", "POST /notes");
    assert.match(failures[0]?.message ?? "", /`--replay .*` is not valid/);
  });
});
