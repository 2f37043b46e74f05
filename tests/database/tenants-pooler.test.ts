/**
 * Tests tables with `@tenant` behind pgbouncer in transaction mode: random requests of 50 tenants through four server processes, which
 * share few connections to PostgreSQL, see and change only rows of their tenant, with drizzle, kysely and plain SQL.
 *
 * `KIT_RUNS` is the number of requests for each library.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";

import { Bouncer, missingBouncer } from "./support/bouncer.ts";
import { Cluster } from "./support/cluster.ts";

const ROOT = join(import.meta.dirname, "../..");
const LIBRARIES = ["drizzle", "kysely", "raw"] as const;
const TENANTS = 50;
const PROCESSES = 4;
const CLIENTS = 24;
/** Connections of the pooler to PostgreSQL. All processes together have up to 32 to the pooler. */
const CONNECTIONS = 5;
const REQUESTS = Number(process.env["KIT_RUNS"] ?? 1500);

interface Row {
  readonly id: string;
  readonly tenantId: string;
  readonly title: string;
}

/** Pseudorandom numbers that are the same on every machine (mulberry32). */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

const missing = missingBouncer();

describe(
  "tables with @tenant behind pgbouncer in transaction mode",
  { timeout: 600_000, skip: missing ?? false },
  () => {
    let home: string;
    let cluster: Cluster;
    let bouncer: Bouncer;
    before(async () => {
      await mkdir(join(ROOT, "target"), { recursive: true });
      home = await mkdtemp(join(ROOT, "target/tenants-pooler-"));
      cluster = await Cluster.start();
      await cluster.query("CREATE ROLE app LOGIN");
      await cluster.query("ALTER SCHEMA public OWNER TO app");
      bouncer = await Bouncer.start(cluster, "app", CONNECTIONS);
    });
    after(async () => {
      await bouncer?.[Symbol.asyncDispose]();
      await cluster?.remove();
      await rm(home, { recursive: true, force: true });
    });

    for (const library of LIBRARIES) {
      it(`shows no row of another tenant in ${REQUESTS} random requests with ${library}`, async (t) => {
        const seed = Number(process.env["KIT_SEED"] ?? 61);
        t.diagnostic(`KIT_SEED=${seed}`);
        const project = await build(home, library);
        await cluster.query("DROP TABLE IF EXISTS documents");
        const sql = await readFile(join(project, ".kit/migrations/pending.sql"), "utf8");
        await cluster.query(`SET ROLE app; ${sql}`);
        await using workers = await Workers.start(project, bouncer.url);
        const seen = await requests(workers.urls, dice(seed), cluster);
        t.diagnostic(JSON.stringify(seen));
        for (const [kind, least] of Object.entries({
          rows: 0.3,
          refused: 0.02,
          undone: 0.02,
          ended: 0.01,
          forgotten: 0.02,
        }))
          assert.ok(seen[kind as keyof Seen] >= REQUESTS * least, `${kind}: ${JSON.stringify(seen)}`);
      });
    }
  },
);

/** Builds a project whose queries use the library. */
async function build(home: string, library: string): Promise<string> {
  const project = join(home, library);
  const fixture = join(import.meta.dirname, "fixtures/tenants");
  for (const name of ["documents.types.ts", "store.ts", "main.ts"])
    await cp(join(fixture, name), join(project, "src", name));
  await cp(join(fixture, `${library}.ts`), join(project, "src/library.ts"));
  const kit = { database: { adapter: library } };
  await writeFile(join(project, "package.json"), JSON.stringify({ name: "tenants", type: "module", kit }));
  const cli = join(ROOT, "node_modules/@kit/cli/bin/kit.js");
  await promisify(execFile)(process.execPath, [cli, "build"], { cwd: project });
  return project;
}

/** Server processes of one project. */
class Workers implements AsyncDisposable {
  readonly urls: readonly string[];
  readonly #children: readonly ChildProcess[];

  private constructor(children: readonly ChildProcess[], urls: readonly string[]) {
    this.#children = children;
    this.urls = urls;
  }

  static async start(project: string, databaseUrl: string): Promise<Workers> {
    const children = Array.from({ length: PROCESSES }, () =>
      spawn(process.execPath, ["src/main.ts"], {
        cwd: project,
        env: { ...process.env, DATABASE_URL: databaseUrl, NODE_ENV: "production" },
        stdio: ["ignore", "pipe", "inherit"],
      }),
    );
    try {
      return new Workers(children, await Promise.all(children.map(listening)));
    } catch (error) {
      for (const child of children) child.kill("SIGKILL");
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null) return;
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        await ended;
      }),
    );
  }
}

async function listening(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith("LISTENING ")) {
      child.stdout!.resume();
      return line.slice("LISTENING ".length);
    }
  }
  throw new Error("a server process ended before it listened");
}

/** Number of rows that requests returned, and of requests that ended in a certain way. */
interface Seen {
  rows: number;
  /** Inserts of rows of another tenant that PostgreSQL refused. */
  refused: number;
  /** Requests that failed after an insert. */
  undone: number;
  /** Requests whose client left before the response. */
  ended: number;
  /** Requests without a tenant. */
  forgotten: number;
}

/** Sends random requests, and compares each response with a model of the rows. */
async function requests(
  urls: readonly string[],
  roll: (sides: number) => number,
  cluster: Cluster,
): Promise<Seen> {
  const tenants = Array.from({ length: TENANTS }, () => randomUUID());
  /** Titles of the rows that each tenant must have, by their ids. */
  const model = new Map(tenants.map((tenant) => [tenant, new Map<string, string>()]));
  const seen: Seen = { rows: 0, refused: 0, undone: 0, ended: 0, forgotten: 0 };
  const busy = new Set<string>();

  const one = async (number: number): Promise<void> => {
    // Two requests of one tenant at a time would need a model of their order.
    let tenant = tenants[roll(TENANTS)]!;
    while (busy.has(tenant)) tenant = tenants[roll(TENANTS)]!;
    busy.add(tenant);
    const own = model.get(tenant)!;
    const other = tenants[(tenants.indexOf(tenant) + 1 + roll(TENANTS - 1)) % TENANTS]!;
    const strange = [...model.get(other)!.keys()][0] ?? randomUUID();
    const title = `${tenant} ${number}`;
    const url = urls[roll(urls.length)]!;
    const send = async (
      method: string,
      path: string,
      body?: object,
      signal?: AbortSignal,
    ): Promise<Response> =>
      fetch(`${url}${path}`, {
        method,
        headers: { "x-tenant": tenant, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
    const rows = async (response: Response): Promise<Row[]> => {
      const text = await response.text();
      assert.ok(response.ok, `${response.status} ${text}`);
      const found = [JSON.parse(text) as Row | Row[]].flat();
      for (const row of found) assert.equal(row.tenantId, tenant, `a row of another tenant: ${response.url}`);
      seen.rows += found.length;
      return found;
    };
    const kind = roll(16);
    if (kind < 4) {
      const found = await rows(await send("GET", "/documents"));
      assert.deepEqual(new Map(found.map((row) => [row.id, row.title])), own);
    } else if (kind < 8) {
      const [row] = await rows(await send("POST", "/documents", { title }));
      own.set(row!.id, title);
    } else if (kind === 8) {
      const changed = await rows(await send("PATCH", "/documents", { title }));
      assert.equal(changed.length, own.size);
      for (const { id } of changed) own.set(id, title);
    } else if (kind === 9) {
      const [mine = randomUUID()] = own.keys();
      assert.equal((await rows(await send("DELETE", `/documents/${mine}`))).length, own.delete(mine) ? 1 : 0);
    } else if (kind === 10) {
      assert.deepEqual(await rows(await send("DELETE", `/documents/${strange}`)), []);
    } else if (kind === 11) {
      assert.deepEqual(await rows(await send("GET", `/documents/${strange}`)), []);
    } else if (kind === 12) {
      const response = await send("POST", "/thefts", { tenantId: other, title: "stolen" });
      assert.equal(response.status, 403, await response.text());
      seen.refused++;
    } else if (kind === 13) {
      const response = await send("POST", "/failures", { title: "undone" });
      assert.equal(response.status, 403, await response.text());
      seen.undone++;
    } else if (kind === 14) {
      const signal = AbortSignal.timeout(5 + roll(60));
      await assert.rejects(send("GET", "/slow", undefined, signal), { name: "TimeoutError" });
      seen.ended++;
    } else {
      assert.deepEqual(await rows(await send("GET", "/forgotten")), []);
      seen.forgotten++;
    }
    busy.delete(tenant);
  };

  let next = 0;
  const client = async (): Promise<void> => {
    while (next < REQUESTS) await one(next++);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));

  const all = await cluster.query('SELECT id, tenant_id AS "tenantId", title FROM documents');
  for (const tenant of tenants) {
    const rows = all.filter((row) => row["tenantId"] === tenant);
    assert.deepEqual(new Map(rows.map((row) => [row["id"], row["title"]])), model.get(tenant));
  }
  assert.equal(all.filter(({ title, tenantId }) => !String(title).startsWith(String(tenantId))).length, 0);
  return seen;
}
