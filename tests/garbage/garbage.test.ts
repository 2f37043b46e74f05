// Sends garbage in keys, references, numbers, dates and strings. No server may respond with 500: Notes and Teams on Node, Notes in Rust,
// and the handlers that kit generates in Rust for keys of every kind. `KIT_SEED` selects other requests, and `KIT_RUNS` is their number
// for each server.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "@kit/dev-database";
import { Client } from "pg";

import { accessToken } from "../../examples/teams/tests/token.ts";
import type { Contracts } from "../../packages/testing/src/coverage/contracts.ts";
import { routesOf } from "../differential/requests/routes.ts";
import { runs, seed } from "../differential/support/settings.ts";
import { type Example, Project } from "../e2e/support/project.ts";
import { RunningApp } from "../e2e/support/running-app.ts";
import { rustProgram, rustProgramOf } from "../e2e/support/server.ts";
import { send } from "./support/run.ts";

/** Secret of access tokens of Teams, which does not start without its own secret in production. */
const AUTH_SECRET = "a secret of tests, which has at least 32 bytes";

/** Number of requests that each server gets. */
const count = runs(5_000);

async function contractsIn(root: string): Promise<Contracts> {
  const file = pathToFileURL(join(root, ".kit/tests/contracts.ts"));
  return ((await import(file.href)) as { default: Contracts }).default;
}

/** Sends requests to a server that has its own database. */
async function sendGarbage(
  name: string,
  contracts: Contracts,
  {
    root,
    database,
    program,
    token = "ada:user",
  }: { root: string; database: TestDatabase; program?: string; token?: string },
): Promise<void> {
  const env = { DATABASE_URL: database.url, LOG_LEVEL: "fatal", AUTH_SECRET };
  const app = await RunningApp.start(root, {
    mode: "production",
    env,
    ...(program !== undefined && { program }),
  });
  try {
    const result = await send(app.port, routesOf(contracts), {
      seed,
      count,
      authorization: `Bearer ${token}`,
    });
    const statuses = [...result.statuses].toSorted(([a], [b]) => a - b).map((pair) => pair.join(": "));
    process.stderr.write(`${name}: seed ${seed}; ${statuses.join(", ")}\n`);
    assert.ok(result.failures.length === 0, `seed ${seed}\n${result.failures.join("\n\n")}`);
    // Some requests must reach handlers. If all were refused before, the test would show nothing.
    const taken = [...result.statuses].filter(([status]) => status < 300 || status === 404 || status === 409);
    const reached = taken.reduce((sum, [, many]) => sum + many, 0);
    assert.ok(reached > count / 10, `only ${reached} requests reached a handler`);
  } finally {
    await app.stop();
  }
}

for (const example of ["notes", "teams"] as const satisfies readonly Example[]) {
  describe(`garbage in requests to ${example}`, { timeout: 10 * 60_000 }, () => {
    let project: Project;
    let contracts: Contracts;
    before(async () => {
      project = await Project.copy(example);
      await project.build();
      contracts = await contractsIn(project.root);
    });
    after(() => project?.remove());

    test("gets no status 500 from the server on Node", async () => {
      await using database = await createTestDatabase({ root: project.root });
      const token =
        example === "teams" ? await accessToken("ada", ["manager"], Buffer.from(AUTH_SECRET)) : undefined;
      await sendGarbage(`${example} on Node`, contracts, {
        root: project.root,
        database,
        ...(token !== undefined && { token }),
      });
    });

    if (example === "notes") {
      test("gets no status 500 from the server in Rust", async (t) => {
        if (!existsSync(rustProgram)) return t.skip("kit build in examples/notes-rust makes the program");
        await using database = await createTestDatabase({ root: project.root });
        await sendGarbage("notes in Rust", contracts, { root: project.root, database, program: rustProgram });
      });
    }
  });
}

describe("garbage in requests to generated handlers", { timeout: 10 * 60_000 }, () => {
  const root = join(import.meta.dirname, "fixtures/keys");
  const program = rustProgramOf("keys");

  const missing = existsSync(program)
    ? false
    : "kit build in tests/garbage/fixtures/keys creates the program";

  /** Calls a function with the URL of a database that has the tables of the program. */
  async function withTables(use: (database: TestDatabase) => Promise<void>): Promise<void> {
    const migrations = join(root, ".kit/migrations");
    const statements = readdirSync(migrations)
      // The directory also contains `pending.sql`.
      .filter((name) => /^\d+_.*\.sql$/.test(name))
      .toSorted()
      .map((name) => readFileSync(join(migrations, name), "utf8"));
    const prepare = async (url: string): Promise<void> => {
      const client = new Client({ connectionString: url });
      await client.connect();
      try {
        await client.query(statements.join("\n"));
      } finally {
        await client.end();
      }
    };
    const template = { key: statements.join("\n"), prepare };
    const directory = await mkdtemp(join(tmpdir(), "kit-garbage-"));
    try {
      await using database = await createTestDatabase({ root: directory, template });
      await use(database);
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    }
  }

  test("gets no status 500", { skip: missing }, () =>
    withTables(async (database) =>
      sendGarbage("keys in Rust", await contractsIn(root), { root, database, program }),
    ),
  );

  test("a JSON column keeps the largest and the smallest numbers", { skip: missing }, () =>
    withTables(async (database) => {
      const env = { DATABASE_URL: database.url, LOG_LEVEL: "fatal" };
      const app = await RunningApp.start(root, { mode: "production", env, program });
      try {
        const create = async (path: string, body: object): Promise<{ id: string; details: unknown }> => {
          const response = await fetch(`http://127.0.0.1:${app.port}${path}`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
          });
          assert.equal(response.status, 201, await response.clone().text());
          return (await response.json()) as { id: string; details: unknown };
        };
        const shelf = await create("/shelves", { name: "a", floor: 1 });
        const since = "2026-01-01T00:00:00Z";
        const counter = await create("/counters", { count: 1, big: "1", ratio: 1, since, shelfId: shelf.id });
        const details = {
          max: Number.MAX_VALUE,
          min: -Number.MAX_VALUE,
          tiny: Number.MIN_VALUE,
          exact: 0.1 + 0.2,
        };
        const part = await create("/parts", {
          counterId: counter.id,
          place: 1,
          code: "a",
          amount: 1,
          details,
        });
        assert.deepEqual(part.details, details);
      } finally {
        await app.stop();
      }
    }),
  );

  test(
    "a write gets 409 if another row refers to the row, directly or through other rows",
    { skip: missing },
    () =>
      withTables(async (database) => {
        const env = { DATABASE_URL: database.url, LOG_LEVEL: "fatal" };
        const app = await RunningApp.start(root, { mode: "production", env, program });
        try {
          const url = `http://127.0.0.1:${app.port}`;
          const headers = { "content-type": "application/json" };
          const create = async (path: string, body: object): Promise<{ id: string }> => {
            const response = await fetch(`${url}${path}`, {
              method: "POST",
              headers,
              body: JSON.stringify(body),
            });
            assert.equal(response.status, 201, await response.clone().text());
            return (await response.json()) as { id: string };
          };
          const shelf = await create("/shelves", { name: "a", floor: 1 });
          const counter = await create("/counters", {
            count: 1,
            big: "1",
            ratio: 1,
            since: "2026-01-01T00:00:00Z",
            shelfId: shelf.id,
          });
          await create("/steps", { text: "a", tags: [], extra: 1, kind: "up", counterId: counter.id });
          // The shelf cannot be deleted: that would also delete its counter, which the step refers to.
          const response = await fetch(`${url}/shelves/${shelf.id}`, { method: "DELETE" });
          const { error } = (await response.json()) as { error: { code: string; message: string } };
          assert.equal(response.status, 409);
          assert.equal(error.message, "It is in use by steps");

          await create("/words", { key: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", text: null, shelf: "a" });
          // The name of the shelf cannot be changed, because the word refers to it.
          const body = JSON.stringify({ name: "b" });
          const renamed = await fetch(`${url}/shelves/${shelf.id}`, { method: "PATCH", headers, body });
          const text = await renamed.text();
          assert.equal(renamed.status, 409, text);
          assert.match(text, /It is in use by words/);
        } finally {
          await app.stop();
        }
      }),
  );
});
