/**
 * Compares what kit and drizzle-kit do with existing rows, for ten schema changes that often cause problems. Runs each tool with a new
 * database and prints the results, from which the table in docs/migrations-compared.md was made.
 */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { openDatabase } from "@kit/dev-database";
import { Client } from "pg";

import { installPeers } from "../peers.ts";
import { BRANCHES, CASES } from "./cases.ts";
import type { Case } from "./cases.ts";
import { drizzleIn, kitIn } from "./tools.ts";
import type { Outcome, Tool } from "./tools.ts";

const ROOT = join(import.meta.dirname, "../..");
const PEERS = join(import.meta.dirname, "peers");

/** Option `--only`, which selects a single case: `--only shrink-enum`. */
const { values: options } = parseArgs({ options: { only: { type: "string" } } });

/** Result of one tool in one case. */
interface Result {
  readonly case: string;
  readonly tool: string;
  readonly generated: string;
  readonly applied: string;
  readonly rows: string;
  readonly sql: string;
}

const databases = await openServer();
const client = new Client({ connectionString: databases.url });
await client.connect();
let number = 0;

try {
  installPeers(PEERS);
  const results: Result[] = [];
  for (const one of CASES.filter(({ name }) => options.only === undefined || name === options.only)) {
    results.push(await measured(one, "kit"));
    results.push(await measured(one, "drizzle-kit"));
    if (one.answer !== undefined) {
      results.push(await measured(one, "drizzle-kit, other answer", one.answer));
      results.push(await measured(one, "drizzle-kit, no terminal", ""));
    }
  }
  if (options.only === undefined || options.only === BRANCHES.name) {
    results.push(await merged("kit"), await merged("drizzle-kit"));
  }
  const { dependencies } = JSON.parse(await readFile(join(PEERS, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
  console.log(
    `drizzle-kit ${dependencies["drizzle-kit"]}, drizzle-orm ${dependencies["drizzle-orm"]}, PostgreSQL ${rows[0]?.server_version}\n`,
  );
  for (const result of results) {
    console.log(
      `${result.case}, ${result.tool}\n  generate: ${result.generated}\n  apply:    ${result.applied}\n  rows:     ${result.rows}\n  ${result.sql}\n`,
    );
  }
} finally {
  await client.end();
  await databases.close();
  await rm(databases.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

async function openServer(): Promise<{ url: string; directory: string; close: () => Promise<void> }> {
  // The projects are below the repository, so that Node finds the packages.
  await mkdir(join(ROOT, "target"), { recursive: true });
  const directory = await mkdtemp(join(ROOT, "target/compared-"));
  const server = await openDatabase({ dataDir: join(directory, "data") });
  return { url: server.url, directory, close: () => server.close() };
}

/** Returns a tool with an empty project and an empty database. */
async function fresh(tool: string): Promise<{ tool: Tool; rows: Client }> {
  number += 1;
  const name = `compared_${number}`;
  await client.query(`CREATE DATABASE ${name}`);
  const url = new URL(databases.url);
  url.pathname = `/${name}`;
  const root = join(databases.directory, `project-${number}`);
  await mkdir(root, { recursive: true });
  const rows = new Client({ connectionString: url.href });
  await rows.connect();
  return { tool: tool === "kit" ? await kitIn(root, url.href) : await drizzleIn(root, url.href), rows };
}

async function measured(one: Case, name: string, keys?: string): Promise<Result> {
  const { tool, rows } = await fresh(name);
  try {
    const models = name === "kit" ? one.kit : one.drizzle;
    await tool.model(models.before);
    must(await tool.generate("before"), await tool.apply());
    await rows.query(one.rows);
    const before = await tool.sql();
    await tool.model(models.after);
    const generated = await tool.generate(
      "after",
      keys === undefined ? {} : keys === "" ? { terminal: false } : { keys },
    );
    const sql = await tool.sql();
    const applied = await tool.apply();
    return {
      case: one.name,
      tool: name,
      generated: told(generated),
      applied: told(applied),
      rows: await probed(rows, one.probes),
      sql: sql === before ? "no migration" : statements(sql),
    };
  } finally {
    await rows.end();
  }
}

/** Applies the base and then the migration of the younger branch. Then merges the older branch and applies its migration. */
async function merged(name: string): Promise<Result> {
  const { tool, rows } = await fresh(name);
  try {
    const models = name === "kit" ? BRANCHES.kit : BRANCHES.drizzle;
    await tool.model(models.before);
    must(await tool.generate("base"), await tool.apply());
    await rows.query(BRANCHES.rows);
    const applied = await tool.branches(models.older, models.younger);
    return {
      case: BRANCHES.name,
      tool: name,
      generated: "on each branch",
      applied: told(applied),
      rows: await probed(rows, BRANCHES.probes),
      sql: "a column each",
    };
  } finally {
    await rows.end();
  }
}

function must(...outcomes: Outcome[]): void {
  const failed = outcomes.find(({ code }) => code !== 0);
  if (failed !== undefined) throw new Error(`the first migration failed:\n${failed.text}`);
}

/** Returns the exit code of a command and its output without progress lines. */
function told({ code, text }: Outcome): string {
  const lines = text
    .split("\n")
    .map((line) => line.replaceAll(/\[[⠀-⣿]\] applying migrations\.\.\./g, "").trim())
    .filter(
      (line) =>
        line !== "" &&
        !/^(?:No config path|Reading config|Using 'pg'|at |❯|\+|~|warning\[KIT1002\]|\||=|\d+ tables|\w+ \d+ columns)/.test(
          line,
        ),
    );
  return `exit ${code}: ${[...new Set(lines)].join(" | ").slice(0, 900)}`;
}

function statements(sql: string): string {
  return sql
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("--"))
    .join("\n  ");
}

async function probed(rows: Client, probes: readonly string[]): Promise<string> {
  for (const probe of probes) {
    try {
      const found = await rows.query<unknown[]>({ text: probe, rowMode: "array" });
      return `${String(found.rows[0]?.[0])}   (${probe})`;
    } catch {
      // The query does not fit the changed tables, but the next one may.
    }
  }
  return "no rows are left";
}
