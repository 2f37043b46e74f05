// Tests that `kit db psql` passes no secret in the arguments of psql, and that psql connects to the database.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { psqlEnvironment } from "../src/psql.ts";
import { NOTES, Project } from "./support/project.ts";
import { stopped } from "./support/stopped.ts";

const idle = { KIT_DATABASE_IDLE_MS: "200" };

test("passes the password to psql only in the environment", { timeout: 120_000 }, async (t) => {
  const project = await Project.create(t, NOTES, stopped);
  const bin = join(project.root, "bin");
  await mkdir(bin);
  // This replacement for psql records its arguments, which every user of the machine can read, and its environment, which only its own user
  // can read.
  await writeFile(
    join(bin, "psql"),
    `#!/bin/sh\ntr '\\0' '\\n' < /proc/$$/cmdline > "${bin}/arguments"\nenv > "${bin}/environment"\nexit 3\n`,
  );
  await chmod(join(bin, "psql"), 0o755);
  const url = new URL((await project.kit(["db", "start"], idle)).out.trim());
  assert.ok(url.password.length >= 16);
  const outcome = await project.kit(["db", "psql", "--", "-c", "SELECT 1"], {
    ...idle,
    PATH: `${bin}:${process.env["PATH"]}`,
    PGHOSTADDR: "192.0.2.1",
    PGSERVICE: "elsewhere",
    PGSSLMODE: "verify-full",
  });
  await project.kit(["db", "stop"], idle);
  assert.equal(outcome.code, 1, outcome.err);
  assert.doesNotMatch(outcome.out + outcome.err, new RegExp(url.password));
  const args = await readFile(join(bin, "arguments"), "utf8");
  assert.match(args, /psql\n-c\nSELECT 1\n$/);
  assert.doesNotMatch(args, new RegExp(`${url.password}|postgres://`));
  const environment = (await readFile(join(bin, "environment"), "utf8")).split("\n");
  for (const line of [
    "PGHOST=127.0.0.1",
    `PGPORT=${url.port}`,
    "PGUSER=kit",
    `PGPASSWORD=${url.password}`,
    "PGDATABASE=app",
  ])
    assert.ok(environment.includes(line), line);
  assert.deepEqual(
    environment.filter((line) => /^PG(?:HOSTADDR|SERVICE|SSLMODE)=/.test(line)),
    [],
  );
});

test("kit db psql connects the installed psql to the embedded database", { timeout: 120_000 }, async (t) => {
  try {
    execFileSync("psql", ["--version"]);
  } catch {
    return t.skip("psql is not installed");
  }
  const project = await Project.create(t, NOTES, stopped);
  const script = join(project.root, "ask.sql");
  await writeFile(
    script,
    `\\o '${project.root}/answer'\n\\t on\nSELECT current_user || ' ' || current_database();\n`,
  );
  const outcome = await project.kit(["db", "psql", "--", "--no-psqlrc", "--file", script], idle);
  assert.equal(outcome.code, 0, outcome.err);
  assert.equal((await readFile(join(project.root, "answer"), "utf8")).trim(), "kit app");
});

test("converts the parts of a PostgreSQL URL to environment variables of libpq", () => {
  const environment = psqlEnvironment(
    "postgres://us%40er:p%2Fw@[::1]:6543/my%20db?sslmode=verify-full&sslrootcert=%2Fca.pem&connect_timeout=3",
    { PATH: "/bin", PGPASSWORD: "other", PGTZ: "UTC" },
  );
  assert.deepEqual(environment, {
    PATH: "/bin",
    PGTZ: "UTC",
    PGHOST: "::1",
    PGPORT: "6543",
    PGUSER: "us@er",
    PGPASSWORD: "p/w",
    PGDATABASE: "my db",
    PGSSLMODE: "verify-full",
    PGSSLROOTCERT: "/ca.pem",
    PGCONNECT_TIMEOUT: "3",
  });
  assert.throws(() => psqlEnvironment("postgres://h/d?nonsense=1", {}), /the parameter `nonsense`/);
});
