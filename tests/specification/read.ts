// Helpers that several sections use to read from projects and applications.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type CommandResult, run } from "../e2e/support/command.ts";
import { type Project, repository } from "../e2e/support/project.ts";
import type { RunningApp } from "../e2e/support/running-app.ts";

/** JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Returns the content of a file of a project. */
export function textOf(project: Project, path: string): Promise<string> {
  return readFile(join(project.root, path), "utf8");
}

/** Returns the value of a JSON file of a project. */
export async function jsonOf<T = Json>(project: Project, path: string): Promise<T> {
  return JSON.parse(await textOf(project, path)) as T;
}

/** Imports a generated module of a project. */
export async function moduleOf<T>(project: Project, path: string): Promise<T> {
  return (await import(pathToFileURL(join(project.root, path)).href)) as T;
}

/** Runs `kit inspect` with `--json`. Returns its output as a value. */
export async function inspect<T = Json>(project: Project, ...args: readonly string[]): Promise<T> {
  const { stdout } = await project.kitOk("inspect", ...args, "--json");
  return JSON.parse(stdout) as T;
}

/** Returns the response of an application's sidecar. */
export async function debug<T = Json>(app: RunningApp, path: string): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${await app.debugPort()}/_debug/${path}`);
  assert.equal(answer.status, 200, `/_debug/${path}`);
  return (await answer.json()) as T;
}

/**
 * Repeats a query until its result is as expected, because the sidecar and the log get a request only after the client has its response.
 */
export async function eventually<T>(
  read: () => Promise<T> | T,
  isThere: (value: T) => boolean,
  attempts = 500,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const value = await read();
    if (isThere(value)) return value;
    assert.ok(attempt < attempts, `not as expected after ${attempt} tries: ${JSON.stringify(value)}`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}

/** Returns the log entries that an application has printed so far. */
export function entriesOf(app: RunningApp): Json[] {
  const lines = app.stdout.split("\n").slice(0, -1);
  return lines.filter((line) => line.startsWith('{"level"')).map((line) => JSON.parse(line) as Json);
}

/** Type-checks a project with its own TypeScript compiler. */
export function typeCheck(project: Project): Promise<CommandResult> {
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  return run(process.execPath, [tsc, "-p", "."], { cwd: project.root });
}

/** Returns the error that a response body contains. */
export function errorOf(body: unknown): Json {
  const { error } = body as { error: Json };
  assert.equal(typeof error, "object", JSON.stringify(body));
  return error;
}
