import { dirname } from "node:path";

import {
  createTestClient,
  type HeaderTexts,
  headerTexts,
  type TestAnswer,
  type TestClient,
  type TestHeaders,
  type TestRequest,
} from "../client.ts";
import { applicationOf } from "../contracts/application.ts";
import type { Factory, Given } from "../factory/factory.ts";
import type { Fixture, Fixtures } from "../fixtures.ts";
import { callSiteOf } from "../project/call-site.ts";
import { ProjectTypes } from "../project/known-types.ts";
import { openDatabase, type SuiteDatabase } from "./database.ts";
import { type AfterHook, afterHook } from "./hooks.ts";
import { Rows } from "./rows.ts";
import { type Snapshot, snapshotOf } from "./snapshot.ts";

/** What a suite is made of. */
export interface IntegrationSuiteOptions {
  /** Imports the module that exports the application; only then, since it connects to its database as it is imported. */
  readonly app: () => Promise<unknown>;
  /** Headers of every request; they win over those of `fixtures`. A function is called for each request. */
  readonly headers?: TestHeaders;
  /** What `ask` needs besides what a test says, and headers of every request: the module that contract tests have too. */
  readonly fixtures?: Fixtures;
  /** Puts rows in that all tests begin with; `reset` goes back to them. */
  readonly seed?: (suite: IntegrationSuite) => void | Promise<void>;
  /** Whether there is a database. Default: whether a type of the project has `@table`. */
  readonly database?: boolean;
  /** The project, or a directory below it. Default: that of the file that calls. */
  readonly root?: string;
  /** What registers a function to run after all tests, where the runner is neither node:test nor vitest. */
  readonly after?: AfterHook;
}

/** What `ask` sends: a request with the values of its path's parameters. */
export interface SuiteRequest extends TestRequest {
  /** Unescaped. */
  readonly params?: Readonly<Record<string, string | number>>;
}

/** An application that runs for the tests of a file, on a database of its own. */
export interface IntegrationSuite {
  /** Asks the application. */
  readonly client: TestClient;
  /** Where the application is: `createClient<Routes>({ baseUrl: suite.url })`. */
  readonly url: string;
  /** Of the database; what the application connects to. */
  readonly databaseUrl: string | undefined;

  /**
   * Asks a route by its name, with its fixture's params, query, headers and members of the body where the request says nothing else.
   *
   * @param route - Method and path: `GET /notes/:id`.
   */
  ask(route: string, request?: SuiteRequest): Promise<TestAnswer>;

  /** Builds a value and puts it into its table. */
  insert<T>(factory: Factory<T>, overrides?: Given<T>): Promise<T>;

  /** Builds so many values and puts them into their table, in one statement. */
  insertMany<T>(factory: Factory<T>, count: number, overrides?: Given<T>): Promise<T[]>;

  /** The rows of a query, each value as text: for what no route tells. */
  query(sql: string): Promise<(string | null)[][]>;

  /** Brings the database back to how the suite began, in some milliseconds; the application stays connected. */
  reset(): Promise<void>;

  /** Stops the application and drops the database. After the last test this happens by itself. */
  close(): Promise<void>;
}

/**
 * Starts an application for the tests of a file: on a free port, and on a fresh database with the tables of `migrations/`. Both end after the last test.
 *
 * @example
 * ```ts
 * import { beforeEach, test } from "node:test";
 * import { createFactory, createIntegrationSuite } from "@kit/testing";
 * import type { Note } from "../src/notes.types.ts";
 *
 * const suite = await createIntegrationSuite({
 *   app: () => import("../src/app.ts"),
 *   headers: { authorization: "Bearer ada:user" },
 * });
 * const notes = createFactory<Note>();
 * beforeEach(() => suite.reset());
 *
 * test("a note is read", async () => {
 *   const note = await suite.insert(notes, { title: "Groceries" });
 *   const { body } = await suite.ask("GET /notes/:id", { params: { id: note.id } });
 *   assertMatches(body, "Note");
 * });
 * ```
 * @throws {Error} that says what to do where there is no database, a migration fails, or the module exports no application.
 */
export async function createIntegrationSuite(options: IntegrationSuiteOptions): Promise<IntegrationSuite> {
  const site = callSiteOf(createIntegrationSuite);
  const types = ProjectTypes.near(options.root ?? (site === undefined ? process.cwd() : dirname(site.file)));
  const after = options.after ?? (await afterHook(types.root));
  const hasTables = [...types.entries.values()].some(({ table }) => table !== undefined);
  const suite = new Suite(types, options.fixtures ?? {});
  // Whatever fails on the way, what is open already is closed.
  after(() => suite.close());
  try {
    await suite.start(options, options.database ?? hasTables);
  } catch (error) {
    await suite.close();
    throw error;
  }
  return suite;
}

class Suite implements IntegrationSuite {
  readonly #types: ProjectTypes;
  readonly #fixtures: Fixtures;
  #client: TestClient | undefined;
  #database: SuiteDatabase | undefined;
  #rows: Rows | undefined;
  #start: Snapshot | undefined;
  #outer: string | undefined;
  #closed: Promise<void> | undefined;

  constructor(types: ProjectTypes, fixtures: Fixtures) {
    this.#types = types;
    this.#fixtures = fixtures;
  }

  async start({ app, headers: given, seed }: IntegrationSuiteOptions, database: boolean): Promise<void> {
    if (database) {
      this.#database = await openDatabase(this.#types.root);
      this.#rows = new Rows(this.#types, this.#database.query);
      this.#outer = process.env["DATABASE_URL"];
      process.env["DATABASE_URL"] = this.#database.url;
    }
    const application = applicationOf(await app());
    const headers = async (): Promise<HeaderTexts> => ({
      ...(await headerTexts(this.#fixtures.headers)),
      ...(await headerTexts(given)),
    });
    this.#client = await createTestClient(application, { headers });
    await this.#fixtures.setup?.(this.#client);
    await seed?.(this);
    if (this.#database !== undefined) this.#start = await snapshotOf(this.#database.query);
  }

  get client(): TestClient {
    if (this.#client === undefined) throw new Error("The application of the suite is not running");
    return this.#client;
  }

  get url(): string {
    return this.client.url;
  }

  get databaseUrl(): string | undefined {
    return this.#database?.url;
  }

  async ask(route: string, request: SuiteRequest = {}): Promise<TestAnswer> {
    const [, method = "", pattern = ""] = /^([A-Z]+) (\/.*)$/.exec(route) ?? [];
    if (method === "") throw new TypeError(`\`${route}\` is no route: write it as \`GET /notes/:id\``);
    const given = this.#fixtures.routes?.[route] ?? {};
    const fixture: Fixture = typeof given === "function" ? await given(this.client) : given;
    const { params = {}, query, headers, body, text } = request;
    const path = filled(route, pattern, { ...fixture.params, ...params });
    const whole =
      fixture.body !== undefined && isMembers(body ?? {}) ? { ...fixture.body, ...(body as object) } : body;
    return this.client.request(method, path, {
      query: { ...fixture.query, ...query },
      headers: { ...(await headerTexts(fixture.headers)), ...(await headerTexts(headers)) },
      ...(text === undefined ? {} : { text }),
      ...(whole === undefined ? {} : { body: whole }),
    });
  }

  async insert<T>(factory: Factory<T>, overrides?: Given<T>): Promise<T> {
    const value = factory.build(overrides);
    await this.#tables().insert(factory.type, [value]);
    return value;
  }

  async insertMany<T>(factory: Factory<T>, count: number, overrides?: Given<T>): Promise<T[]> {
    const values = factory.buildMany(count, overrides);
    await this.#tables().insert(factory.type, values);
    return values;
  }

  query(sql: string): Promise<(string | null)[][]> {
    this.#tables();
    return (this.#database as SuiteDatabase).query(sql);
  }

  async reset(): Promise<void> {
    await this.#start?.restore();
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    const client = this.#client;
    try {
      if (client !== undefined) await this.#fixtures.teardown?.(client);
    } finally {
      try {
        await client?.close();
      } finally {
        await this.#database?.close();
        if (this.#database !== undefined) this.#restoreUrl();
      }
    }
  }

  #restoreUrl(): void {
    if (this.#outer === undefined) delete process.env["DATABASE_URL"];
    else process.env["DATABASE_URL"] = this.#outer;
  }

  #tables(): Rows {
    if (this.#rows !== undefined) return this.#rows;
    throw new Error("The suite has no database: no type of the project has `@table`, or `database` is false");
  }
}

/** A path with its parameters. */
function filled(route: string, pattern: string, params: Readonly<Record<string, string | number>>): string {
  return pattern.replaceAll(/([:*])(\w+)/g, (_, kind: string, name: string) => {
    const value = params[name];
    if (value === undefined) throw new TypeError(`\`${route}\` needs \`params: { ${name}: … }\``);
    const parts = kind === "*" ? String(value).split("/") : [String(value)];
    return parts.map(encodeURIComponent).join("/");
  });
}

function isMembers(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
