/**
 * Tests a migration in two halves under load: the old and the new build of an application serve requests at the same time while a
 * field is renamed, gets another type, and is split in two. No request fails and no value is lost.
 */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { Project } from "../e2e/support/project.ts";
import type { RunningApp } from "../e2e/support/running-app.ts";
import { Cluster } from "./support/cluster.ts";

/** Duration of the load in each state of the deployment. */
const LOAD_MS = Number(process.env["KIT_SECONDS"] ?? 3) * 1000;
const WORKERS = 6;
const HEADERS = { authorization: "Bearer ada:user", "content-type": "application/json" };

/** A note, independent of the build that stores it. */
interface Expected {
  readonly title: string;
  readonly content: string;
  readonly archived: boolean;
}

/** Translates notes to and from the JSON of a build. */
interface Build {
  readonly name: string;
  readonly url: string;
  toJson(note: Expected): object;
  fromJson(json: Record<string, unknown>): Expected;
}

function oldBuild(url: string): Build {
  return {
    name: "old",
    url,
    toJson: (note) => ({ ...note }),
    fromJson: ({ title, content, archived }) => ({ title, content, archived }) as Expected,
  };
}

function newBuild(url: string): Build {
  return {
    name: "new",
    url,
    toJson: ({ title, content, archived }) => ({
      heading: title,
      intro: content.slice(0, 10),
      rest: content.slice(10),
      archived: String(archived),
    }),
    fromJson: ({ heading, intro, rest, archived }) => {
      assert.ok(archived === "true" || archived === "false", String(archived));
      return {
        title: String(heading),
        content: `${String(intro)}${String(rest)}`,
        archived: archived === "true",
      };
    },
  };
}

/** Writes the types and handlers of the new build into a copy of the old one. */
async function rewrite(root: string): Promise<void> {
  const edit = async (path: string, edits: readonly (readonly [string, string])[]): Promise<void> => {
    const file = join(root, path);
    let text = await readFile(file, "utf8");
    for (const [from, to] of edits) {
      assert.ok(text.includes(from), `${path} contains ${from}`);
      text = text.replaceAll(from, to);
    }
    await writeFile(file, text);
  };
  await edit("src/notes.types.ts", [
    [
      "   * @example Groceries\n   */\n  title: string;",
      "   * @renamedFrom title\n   */\n  heading: string;",
    ],
    [
      "   * @maxLength 10000\n   * @example Milk, eggs, flour\n   */\n  content: string;",
      "   * @maxLength 10\n   */\n  intro: string;\n  /** @maxLength 9990 */\n  rest: string;",
    ],
    [
      "  /** @default false */\n  archived: boolean;",
      '  /** @column archived_text @renamedFrom archived @default "false" */\n  archived: "true" | "false";',
    ],
    ['"title" | "archived"', '"heading" | "archived"'],
  ]);
  await edit("tests/fixtures.ts", [
    ['{ title: "Groceries", content: "Milk" }', '{ heading: "Groceries", intro: "Milk", rest: "" }'],
  ]);
  await edit("src/notes.handlers.ts", [["title: notes.title", "heading: notes.heading"]]);
}

const SPLIT = [
  "notes.intro=left(content, 10)",
  "notes.rest=substr(content, 11)",
  "notes.content=intro || rest",
].flatMap((using) => ["--using", using]);

/** Load of several workers. Each worker changes only its own notes, so it knows what every build must return. */
class Load {
  readonly notes = new Map<string, Expected>();
  readonly failures: string[] = [];
  /** Builds that serve requests. */
  builds: readonly Build[];
  requests = 0;
  #isEnded = false;
  readonly #workers: Promise<void>[];

  constructor(builds: readonly Build[]) {
    this.builds = builds;
    this.#workers = Array.from({ length: WORKERS }, (_, worker) => this.#work(worker));
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all(this.#workers);
  }

  /** Waits until every worker has sent requests since now. */
  async settled(): Promise<void> {
    const goal = this.requests + WORKERS * 4;
    while (this.requests < goal) await sleep(20);
  }

  async #work(worker: number): Promise<void> {
    const own: string[] = [];
    for (let turn = 0; !this.#isEnded; turn += 1) {
      const note = {
        title: `title ${worker} ${turn}`,
        content: `${"abcdefghijklmnop".slice(0, turn % 16)} ${worker} ${turn}`,
        archived: turn % 3 === 0,
      };
      const id = own[turn % (own.length + 1)];
      if (id === undefined) {
        const created = await this.#send("POST", "/notes", note);
        if (created !== undefined) {
          own.push(created.id);
          this.notes.set(created.id, note);
        }
      } else if (turn % 2 === 0) {
        await this.#send("PUT", `/notes/${id}`, note);
        this.notes.set(id, note);
      }
      const read = own[(turn * 7) % own.length];
      if (read !== undefined) await this.check(read);
    }
  }

  /** Compares a note with what a build returns. */
  async check(id: string): Promise<void> {
    const found = await this.#send("GET", `/notes/${id}`);
    if (found !== undefined) assert.deepEqual(found.note, this.notes.get(id), `${found.build} ${id}`);
  }

  async #send(
    method: string,
    path: string,
    note?: Expected,
  ): Promise<{ readonly id: string; readonly note: Expected; readonly build: string } | undefined> {
    const build = this.builds[this.requests++ % this.builds.length]!;
    try {
      const response = await fetch(`${build.url}${path}`, {
        method,
        headers: HEADERS,
        body: note === undefined ? null : JSON.stringify(build.toJson(note)),
      });
      const text = await response.text();
      if (!response.ok) {
        this.failures.push(`${build.name}: ${method} ${path}: ${response.status} ${text}`);
        return undefined;
      }
      const json = JSON.parse(text) as Record<string, unknown>;
      return { id: String(json["id"]), note: build.fromJson(json), build: build.name };
    } catch (error) {
      this.failures.push(`${build.name}: ${method} ${path}: ${String(error)}`);
      return undefined;
    }
  }
}

async function kit(project: Project, url: string, ...args: readonly string[]): Promise<void> {
  const result = await project.kit(args, { env: { DATABASE_URL: url, MIGRATE_URL: url } });
  assert.equal(result.code, 0, `kit ${args.join(" ")}:\n${result.stdout}${result.stderr}`);
}

function start(project: Project, url: string): Promise<RunningApp> {
  return project.start({ mode: "production", env: { DATABASE_URL: url, LOG_LEVEL: "error" } });
}

describe("a migration in two halves", { timeout: 300_000 }, () => {
  let cluster: Cluster;
  let old: Project;
  let next: Project;
  before(async () => {
    cluster = await Cluster.start();
    [old, next] = [await Project.copy("notes", "all"), await Project.copy("notes", "all")];
    await old.build();
    await rewrite(next.root);
    await next.build();
    const args = ["migrate:generate", "--expand", "--name", "rename_retype_split", ...SPLIT];
    await next.kitOk(...args);
  });
  after(async () => {
    await Promise.all([old?.remove(), next?.remove()]);
    await cluster?.remove();
  });

  async function database(name: string): Promise<string> {
    await cluster.query(`CREATE DATABASE ${name}`);
    const url = cluster.url.replace(/\/postgres$/, `/${name}`);
    await kit(old, url, "migrate:apply");
    return url;
  }

  it("both builds serve every request and lose no value", async (t) => {
    const url = await database("deployment");
    const oldApp = await start(old, url);
    const load = new Load([oldBuild(oldApp.url)]);
    await sleep(LOAD_MS);
    await kit(next, url, "migrate:expand");
    const newApp = await start(next, url);
    load.builds = [oldBuild(oldApp.url), newBuild(newApp.url)];
    await sleep(LOAD_MS * 2);
    load.builds = [newBuild(newApp.url)];
    await load.settled();
    await oldApp.stop();
    // Sessions of the new build are younger than the first half.
    await kit(next, url, "migrate:contract");
    await sleep(LOAD_MS);
    await load.end();
    assert.deepEqual(load.failures, []);
    for (const id of load.notes.keys()) await load.check(id);
    assert.deepEqual(load.failures, []);
    await kit(next, url, "migrate:status");
    t.diagnostic(`${load.requests} requests, ${load.notes.size} notes`);
    assert.ok(load.requests > 100 && load.notes.size > 20);
    await newApp.stop();
  });

  it("the old build serves every request after an abort, with the values of the new build", async () => {
    const url = await database("aborted");
    const oldApp = await start(old, url);
    const load = new Load([oldBuild(oldApp.url)]);
    await kit(next, url, "migrate:expand");
    const newApp = await start(next, url);
    load.builds = [oldBuild(oldApp.url), newBuild(newApp.url)];
    await sleep(LOAD_MS);
    load.builds = [oldBuild(oldApp.url)];
    await load.settled();
    await newApp.stop();
    await kit(next, url, "migrate:contract", "--abort");
    await sleep(LOAD_MS / 3);
    await load.end();
    for (const id of load.notes.keys()) await load.check(id);
    assert.deepEqual(load.failures, []);
    await kit(old, url, "migrate:status");
    await oldApp.stop();
  });

  it("the contract tests of both builds pass between the halves", async () => {
    const [, name = ""] = (await readdir(join(next.root, "migrations"))).toSorted();
    const sql = await readFile(join(next.root, "migrations", name, "migration.sql"), "utf8");
    // Contract tests apply migrations completely, so this one gets only the first half.
    for (const project of [old, next]) {
      const directory = join(project.root, "migrations", name);
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory);
      await writeFile(join(directory, "migration.sql"), sql.slice(0, sql.indexOf("-- kit: contract")));
      await writeFile(
        join(directory, "changes.json"),
        '{ "version": 1, "destructive": false, "changes": [] }',
      );
      const result = await project.kit(["test:contracts"], { env: { TEST_DATABASE_URL: cluster.url } });
      assert.equal(result.code, 0, `${result.stdout}${result.stderr}`);
      assert.match(result.stdout, /PUT \/notes\/:id/);
    }
  });
});
