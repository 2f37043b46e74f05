import assert from "node:assert/strict";
import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { repository } from "../../e2e/support/project.ts";
import { notesApp, playgroundApp } from "../projects.ts";
import { at, type Proof, type Section } from "../statement.ts";

/** Asserts the status of the response to a note with these properties. */
const note =
  (fields: object, status: number, user = "ada"): Proof =>
  async () => {
    const answer = await (await notesApp()).as(user).post("/notes", { title: "t", content: "c", ...fields });
    assert.equal(answer.status, status, answer.text.slice(0, 300));
  };

/** Runs several checks one after the other. */
const all =
  (...proofs: readonly Proof[]): Proof =>
  async () => {
    for (const proof of proofs) await proof();
  };

interface Row {
  readonly scenario: string;
  readonly subject: string;
  readonly value: number;
}

/**
 * Asserts that the recorded measurements of a subject are below a limit. `cargo xtask bench record` writes them; tests do not measure time.
 */
const recorded =
  (subject: string, scenario: RegExp, limit: number): Proof =>
  async () => {
    const { rows } = JSON.parse(await readFile(join(repository, "bench/results/router.json"), "utf8")) as {
      rows: Row[];
    };
    const found = rows.filter((row) => row.subject === subject && scenario.test(row.scenario));
    assert.ok(found.length > 0, `no figure of ${subject} is of ${String(scenario)}`);
    for (const { scenario: name, value } of found)
      assert.ok(value < limit, `${name}: ${value} is not below ${limit}`);
  };

/** Returns the status of the response to an email address of this length. */
async function statusOfAddress(length: number): Promise<number> {
  const domain = `${"d".repeat(50)}.`.repeat(4).slice(0, length - 65 - ".example".length);
  const longEmail = `${"l".repeat(64)}@${domain}.example`;
  assert.equal(longEmail.length, length);
  return (await (await playgroundApp()).with({}).post("/formats", { longEmail })).status;
}

const MILLISECOND = 1_000_000;
const users = "tests/e2e/servers/teams.test.ts";

export const limits: Section = {
  number: "8.1",
  title: "Limits",
  statements: [
    {
      title: "the title of a note has 1 to 200 characters",
      test: all(
        note({ title: "" }, 400),
        note({ title: "a" }, 201),
        note({ title: "a".repeat(200) }, 201),
        note({ title: "a".repeat(201) }, 400),
      ),
    },
    {
      title: "the content of a note has at most 10000 characters",
      test: all(
        note({ content: "" }, 201),
        note({ content: "a".repeat(10_000) }, 201),
        note({ content: "a".repeat(10_001) }, 400),
      ),
    },
    {
      title: "the author of a note has at most 100 characters",
      provenBy: at(
        "tests/e2e/servers/auth.test.ts",
        "may contain a user id with the maximum length of an author, but not with one character more",
      ),
    },
    {
      title: "the email address of a user has at most 255 characters, and the name 2 to 100",
      provenBy: at(users, "are refused with all rules that they break"),
    },
    {
      title: "an email address of 255 characters is accepted, and one of 256 is refused",
      test: async () => {
        assert.equal(await statusOfAddress(254), 201);
        assert.equal(await statusOfAddress(256), 400);
        assert.equal(await statusOfAddress(255), 201, "an address of 255 characters");
      },
    },
    {
      title: "Todo.title is limited by its rules",
      provenBy: at(
        "tests/openapi/values.test.ts",
        "every example value of ${example} is valid, and its schemas agree with the application",
      ),
    },
    {
      title: "page is 1 by default, and pageSize 20",
      provenBy: at(
        "tests/e2e/servers/paging.test.ts",
        "returns page 1 by default, with 20 notes of all users, the newest first",
      ),
    },
    {
      title: "the sidecar stores the last 100 traces",
      provenBy: at(
        "packages/plugin-debug/test/endpoints.test.ts",
        "returns at most 100 traces, and no more requests than the history stores",
      ),
    },
    {
      title:
        "windowMs and max, or rateLimitWindow and rateLimit, limit the number of requests of each address",
      provenBy: at(
        "packages/plugin-debug/test/access.test.ts",
        "counts requests by IPv4 address or IPv6 network, and starts again after its window",
      ),
    },
  ],
};

export const routerTargets: Section = {
  number: "8.2",
  title: "Router targets",
  statements: [
    {
      title: "the router finds a static path in less than 100 ns",
      test: all(recorded("kit", /\/static$/, 100), recorded("kit-js", /\/static$/, 100)),
    },
    {
      title: "the router finds a path with a parameter or a wildcard in less than 200 ns",
      test: all(recorded("kit", /\/(param|wildcard)$/, 200), recorded("kit-js", /\/(param|wildcard)$/, 200)),
    },
    {
      title: "the router decides 405 in less than 50 ns on the native and the Rust server",
      test: recorded("kit", /\/not-allowed$/, 50),
    },
    {
      title: "the router decides 405 in less than 50 ns on servers on node:http",
      open: { finding: "router", now: "it takes 73 to 101 ns", expectedError: /is not below 50/ },
      test: recorded("kit-js", /\/not-allowed$/, 50),
    },
    {
      title: "a route tree is loaded within 1 ms on the native and the Rust server",
      test: recorded("kit", /\/load$/, MILLISECOND),
    },
    {
      title: "a tree of 100 routes is loaded within 1 ms on servers on node:http",
      test: recorded("kit-js", /^(rest-101|hosting)\/load$/, MILLISECOND),
    },
    {
      title: "a tree of 1000 routes is loaded within 1 ms on servers on node:http",
      open: { finding: "router", now: "it takes 3.3 ms", expectedError: /is not below/ },
      test: recorded("kit-js", /^rest-1001\/load$/, MILLISECOND),
    },
    {
      title: "100 routes need less than 50 KB of memory, and 1000 routes less than 200 KB",
      provenBy: at("crates/kit-router/tests/memory.rs", "stays_within_the_memory_limits"),
    },
    {
      title:
        "100 routes take less than 50 KB, and 1000 less than 200 KB, in the matcher of servers on node:http",
      test: all(
        recorded("kit-js", /^(rest-101|hosting)\/memory$/, 50_000),
        recorded("kit-js", /^rest-1001\/memory$/, 200_000),
      ),
    },
  ],
};

export const versions: Section = {
  number: "9.1",
  title: "Versions",
  statements: [
    {
      title: "the program kit requires Node 24 or later",
      test: async () => {
        const { engines } = JSON.parse(
          await readFile(join(repository, "packages/cli/package.json"), "utf8"),
        ) as {
          engines: { node: string };
        };
        assert.match(engines.node, /^>=24\./);
      },
    },
    {
      title: "an older Node is refused with a message that names the required version",
      provenBy: at("packages/cli/test/kit.test.ts", "reports the required version on old versions of Node"),
    },
    {
      title: "documents are OpenAPI 3.1",
      provenBy: at("tests/e2e/openapi.test.ts", "the OpenAPI document is valid OpenAPI 3.1"),
    },
    {
      title: "generated Rust code has edition 2024 and requires Rust 1.85",
      test: async () => {
        const manifest = await readFile(join(repository, "examples/notes-rust/Cargo.toml"), "utf8");
        assert.match(manifest, /^edition = "2024"$/m);
        assert.match(manifest, /^rust-version = "1\.85"$/m);
      },
    },
    {
      title: "the queries of the Rust server work on PostgreSQL 16",
      provenBy: at("crates/kit-rust-server/tests/served.rs", "postgresql_accepts_every_generated_statement"),
    },
    {
      title: "the names of migrations for the Rust server are twelve digits and create_<table>",
      provenBy: at(
        "packages/plugin-rust-server/test/rust-server.test.ts",
        "the plugin writes a Rust project, and does not overwrite files of the user",
      ),
    },
  ],
};
