// Tests `env<AppEnv>()` in built projects: conversion, errors before the start, and `.env` with `kit dev`.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { join } from "node:path";
import { type CommandResult, run } from "./support/command.ts";
import { DevSession } from "./support/dev-session.ts";
import { Project } from "./support/project.ts";

const source = `import { env } from "@kit/core";

export interface AppEnv {
  /** @integer @minimum 1 @maximum 65535 @default 3000 */
  PORT: number;
  HOST?: string;
  /** @format uri */
  DATABASE_URL: string;
  /** @minLength 32 @sensitive */
  AUTH_SECRET: string;
  /** @sensitive */
  PIN: number;
  /** @default "info" */
  LOG_LEVEL: "debug" | "info" | "warn";
  /** @default [] */
  KEYS: string[];
  /** @default false */
  VERBOSE: boolean;
  SINCE?: Date;
}

export const environment = await env<AppEnv>();
`;

const valid = {
  DATABASE_URL: "postgres://localhost/notes",
  AUTH_SECRET: "0123456789abcdef0123456789abcdef",
  PIN: "1234",
};

describe("env", () => {
  let project: Project;
  const start = (variables: Record<string, string>): Promise<CommandResult> =>
    run(process.execPath, ["src/main.ts"], {
      cwd: project.root,
      env: { PORT: "", HOST: "", ...variables },
    });

  before(async () => {
    project = await Project.of(
      new Map([
        ["package.json", '{ "name": "settings", "version": "1.0.0", "type": "module" }'],
        ["src/environment.ts", source],
        [
          "src/main.ts",
          'import { environment } from "./environment.ts";\nconsole.log(JSON.stringify(environment), Object.isFrozen(environment));\n',
        ],
      ]),
    );
  });
  after(() => project.remove());

  test("fails with the command to run if the project is not built", async () => {
    const { code, stderr } = await start(valid);
    assert.equal(code, 1);
    assert.match(stderr, /^error: the project is not built: .*\n.*\nhelp: run `kit build`/);
    await project.kitOk("build", "--no-compile");
  });

  test("converts texts, sets defaults and takes an empty variable as not set", async () => {
    const { code, stdout, stderr } = await start({
      ...valid,
      PORT: "",
      HOST: "::1",
      LOG_LEVEL: "warn",
      KEYS: "a, b",
      VERBOSE: "true",
      SINCE: "2026-01-31T12:00:00Z",
      OTHER: "is not declared",
    });
    assert.equal(code, 0, stderr);
    assert.equal(
      stdout,
      `{"PORT":3000,"HOST":"::1","DATABASE_URL":"postgres://localhost/notes","AUTH_SECRET":"${valid.AUTH_SECRET}","PIN":1234,"LOG_LEVEL":"warn","KEYS":["a","b"],"VERBOSE":true,"SINCE":"2026-01-31T12:00:00.000Z"} true\n`,
    );
  });

  test("lists all wrong and missing variables at once and shows no secrets", async () => {
    const { code, stdout, stderr } = await start({
      PORT: "70000",
      AUTH_SECRET: "hunter2",
      PIN: "99x",
      LOG_LEVEL: "inf",
      VERBOSE: "maybe".repeat(20),
    });
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.equal(
      stderr,
      `error: 6 environment variables are not valid
  - PORT: expected integer, 1 to 65535; received "70000"; use 65535 or less
  - DATABASE_URL is not set: expected string in uri format
  - AUTH_SECRET: expected string, at least 32 characters; received a value that is not shown
  - PIN: expected number; received a value that is not shown
  - LOG_LEVEL: expected "debug", "info" or "warn"; received "inf"; did you mean "info"?
  - VERBOSE: expected boolean; received "${"maybe".repeat(8)}…"
  declared at src/environment.ts:3
help: set the variables before the start; in development, write them into .env
`,
    );
  });

  test("kit dev shows wrong variables of .env, and starts the application when they are corrected", async () => {
    const dev = await Project.of(
      new Map([
        ["package.json", '{ "name": "settings", "version": "1.0.0", "type": "module" }'],
        ["src/environment.ts", source],
        [
          "src/main.ts",
          'import { environment } from "./environment.ts";\nconsole.log(`level ${environment.LOG_LEVEL}`);\nsetInterval(() => undefined, 1000);\n',
        ],
        [".env", `DATABASE_URL=${valid.DATABASE_URL}\nAUTH_SECRET=hunter2\nPIN=1234\nLOG_LEVEL=inf\n`],
      ]),
    );
    try {
      await using session = DevSession.start(dev.root, ["--no-db", "--port", "0"]);
      await session.shows("error: 2 environment variables are not valid");
      await session.shows(
        'LOG_LEVEL: expected "debug", "info" or "warn"; received "inf"; did you mean "info"?',
      );
      await session.shows("help: set the variables before the start");
      assert.ok(!session.output.includes("hunter2"), session.output);
      assert.ok(!session.output.includes("level "), session.output);

      const shown = session.output.length;
      const lines = Object.entries(valid).map(([name, value]) => `${name}=${value}\n`);
      await writeFile(join(dev.root, ".env"), `${lines.join("")}LOG_LEVEL=warn\n`);
      await session.shows("level warn", shown);
    } finally {
      await dev.remove();
    }
  });

  test("fails in a project whose last build found no call of env", async () => {
    const other = await Project.of(
      new Map([
        ["package.json", '{ "name": "settings", "version": "1.0.0", "type": "module" }'],
        ["src/main.ts", 'import "@kit/core";\n'],
      ]),
    );
    try {
      await other.kitOk("build", "--no-compile");
      const program = 'import { env } from "@kit/core"; await env();';
      const { code, stderr } = await run(process.execPath, ["--input-type=module", "-e", program], {
        cwd: other.root,
      });
      assert.equal(code, 1);
      assert.match(stderr, /has no type of the environment variables\n {2}there is no .*environment\.ts\n/);
      assert.ok(stderr.includes(join(other.root, ".kit")), stderr);
    } finally {
      await other.remove();
    }
  });
});
