import { dirname } from "node:path";

import { fillRoutePath } from "@kit/core/router";
import type { ServerService } from "@kit/types";

import { createTestClient, type SocketOffer, type TestClient } from "../client.ts";
import { type HeaderTexts, resolveHeaders, type TestHeaders } from "../header-texts.ts";
import { applicationOf } from "../contracts/application.ts";
import type { Factory, OverridesOrFunction } from "../factory/factory.ts";
import type { Fixture, Fixtures } from "../fixtures.ts";
import { callSiteOf } from "../project/call-site.ts";
import { ProjectTypes } from "../project/known-types.ts";
import type { TestResponse } from "../test-response.ts";
import { openDatabase, type SuiteDatabase } from "./database.ts";
import { type AfterHook, afterHook } from "./hooks.ts";
import { Rows } from "./rows.ts";
import type { GivenNames, RequestArguments, SocketArguments, SocketOf, SuiteRequest } from "./request.ts";
import { type Snapshot, snapshotOf } from "./snapshot.ts";

/** Options of {@link createIntegrationSuite}. */
export interface IntegrationSuiteOptions {
  /**
   * Imports the module that exports the application. The suite calls this function after it has created the database, because the module
   * may connect during its import.
   */
  readonly app: () => Promise<unknown>;
  /**
   * Headers of every request, which override the headers of `fixtures`. A function is called for each request and returns the
   * headers.
   */
  readonly headers?: TestHeaders;
  /** Fixtures: headers of every request, and values that `request` adds. Use the module that the contract tests use. */
  readonly fixtures?: Fixtures;
  /** Inserts rows before the first test. `reset` restores them. */
  readonly seed?: (suite: IntegrationSuite) => void | Promise<void>;
  /** True if the suite creates a database. Default: true if a type of the project has `@table`. */
  readonly database?: boolean;
  /** Directory of the project, or a directory below it. Default: the directory of the calling file. */
  readonly root?: string;
  /** Registers a function that runs after all tests. Required if the runner is neither node:test nor vitest. */
  readonly after?: AfterHook;
}

/**
 * Application that runs for the tests of a file, on its own database. `TGiven` has the names of headers that the suite
 * sends by itself.
 */
export interface IntegrationSuite<TGiven extends string = string> {
  /** Client of the application. */
  readonly client: TestClient;
  /** Origin of the application: `createClient<Routes>({ baseUrl: suite.url })`. */
  readonly url: string;
  /** URL of the database that the application uses, or `undefined` if there is no database. */
  readonly databaseUrl: string | undefined;

  /**
   * Sends a request to a route. Values of the route's fixture are added if the request does not set them: params, query, headers, cookies
   * and properties of the body. Headers and cookies have the types of the route's contract. Those that the contract requires are required
   * here too, unless the suite has fixtures or its option `headers` has them. To send others, use `client`.
   *
   * @param route - Method and path pattern: `GET /notes/:id`.
   * @throws {TypeError} if `route` is not written in this form, or if a path parameter has no value.
   */
  request<const TKey extends string>(
    route: TKey,
    ...request: RequestArguments<TKey, TGiven>
  ): Promise<TestResponse>;

  /**
   * Opens a WebSocket. Params, query, headers and cookies of the route's fixture are added like those of a request. Messages
   * have the types of the route's contract.
   *
   * @param route - Path pattern with `WS`: `WS /rooms/:room`.
   * @throws {HandshakeError} If the application refuses the handshake. The error has the response.
   * @throws {TypeError} If `route` is not written in this form, or if a path parameter has no value.
   */
  socket<const TKey extends `WS /${string}`>(
    route: TKey,
    ...request: SocketArguments<TKey, TGiven>
  ): Promise<SocketOf<TKey>>;

  /** Builds a value and inserts it into its table. */
  insert<T>(factory: Factory<T>, overrides?: OverridesOrFunction<T>): Promise<T>;

  /** Builds the given number of values and inserts them into their table with one statement. */
  insertMany<T>(factory: Factory<T>, count: number, overrides?: OverridesOrFunction<T>): Promise<T[]>;

  /** Returns the rows of a query, each value as a string. Use it for data that no route returns. */
  query(sql: string): Promise<(string | null)[][]>;

  /** Restores the rows that the database had when the suite started, within a few milliseconds. The application stays connected. */
  reset(): Promise<void>;

  /** Stops the application and drops the database. Called automatically after the last test. */
  close(): Promise<void>;
}

/**
 * Starts an application for the tests of a file, on a free port and on a new database with the tables of `migrations/`. After the last
 * test, the application is stopped and the database is dropped.
 *
 * @example
 * ```ts
 * import { beforeEach, test } from "node:test";
 * import { assertMatches, createFactory, createIntegrationSuite } from "@kit/testing";
 * import type { Note } from "../src/notes.types.ts";
 *
 * const suite = await createIntegrationSuite({
 *   app: () => import("../src/app.ts"),
 *   headers: { authorization: "Bearer ada:user" },
 * });
 * const notes = createFactory<Note>();
 * beforeEach(() => suite.reset());
 *
 * test("returns the note with the id", async () => {
 *   const note = await suite.insert(notes, { title: "Groceries" });
 *   const { body } = await suite.request("GET /notes/:id", { params: { id: note.id } });
 *   assertMatches(body, "Note");
 * });
 * ```
 * @throws {Error} if there is no database, a migration fails, or the module exports no application. The message says what to do.
 */
export async function createIntegrationSuite<const TOptions extends IntegrationSuiteOptions>(
  options: TOptions,
): Promise<IntegrationSuite<GivenNames<TOptions>>> {
  const site = callSiteOf(createIntegrationSuite);
  const types = ProjectTypes.find(options.root ?? (site === undefined ? process.cwd() : dirname(site.file)));
  const after = options.after ?? (await afterHook(types.root));
  const hasTables = [...types.entries.values()].some(({ table }) => table !== undefined);
  const suite = new Suite(types, options.fixtures ?? {});
  // Registered before the start, so that a failed start closes everything that is already open.
  after(() => suite.close());
  try {
    await suite.start(options, options.database ?? hasTables);
  } catch (error) {
    await suite.close();
    throw error;
  }
  return suite;
}

/** Parts of a request that a WebSocket has, too. */
interface Handshake extends Required<Pick<SuiteRequest, "query" | "headers" | "cookies">> {
  readonly fixture: Fixture;
  readonly path: string;
}

class Suite implements IntegrationSuite {
  readonly #types: ProjectTypes;
  readonly #fixtures: Fixtures;
  #client: TestClient | undefined;
  #kinds: ServerService["socketKinds"];
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
      ...(await resolveHeaders(this.#fixtures.headers)),
      ...(await resolveHeaders(given)),
    });
    this.#client = await createTestClient(application, { headers });
    this.#kinds = (await application.service()).socketKinds;
    await this.#fixtures.setup?.(this.#client);
    await seed?.(this);
    if (this.#database !== undefined) this.#start = await snapshotOf(this.#database.query);
  }

  get client(): TestClient {
    if (this.#client === undefined)
      throw new Error("The suite's application is not running. Use the suite inside of tests");
    return this.#client;
  }

  get url(): string {
    return this.client.url;
  }

  get databaseUrl(): string | undefined {
    return this.#database?.url;
  }

  async request(route: string, request: SuiteRequest = {}): Promise<TestResponse> {
    const [, method = "", pattern = ""] = /^([A-Z]+) (\/.*)$/.exec(route) ?? [];
    if (method === "")
      throw new TypeError(
        `\`${route}\` is not a route. Write a method and a path pattern, such as \`GET /notes/:id\``,
      );
    const { fixture, path, ...slots } = await this.#handshake(route, pattern, request);
    const { body, text, defaultHeaders, readMs } = request;
    const whole =
      isMembers(fixture.body) && isMembers(body ?? {})
        ? { ...fixture.body, ...(body as object) }
        : (body ?? fixture.body);
    return this.client.request(method, path, {
      ...slots,
      ...(text === undefined ? {} : { text }),
      ...(defaultHeaders === undefined ? {} : { defaultHeaders }),
      ...(readMs === undefined ? {} : { readMs }),
      ...(whole === undefined ? {} : { body: whole }),
    });
  }

  async socket<TKey extends string>(
    route: TKey,
    request: SuiteRequest & SocketOffer = {},
  ): Promise<SocketOf<TKey>> {
    const [, pattern = ""] = /^WS (\/.*)$/.exec(route) ?? [];
    if (pattern === "")
      throw new TypeError(
        `\`${route}\` is not the route of a WebSocket. Write WS and a path pattern, such as \`WS /rooms/:room\``,
      );
    const { path, query, headers, cookies } = await this.#handshake(route, pattern, request);
    const { protocols, defaultHeaders } = request;
    const offer = {
      ...(protocols === undefined ? {} : { protocols }),
      ...(defaultHeaders === undefined ? {} : { defaultHeaders }),
    };
    const plainText = this.#kinds?.get(route)?.out.includes("text") === true;
    return (await this.client.socket(path, {
      query,
      headers,
      cookies,
      plainText,
      ...offer,
    })) as SocketOf<TKey>;
  }

  /** Returns the path, the query, the headers and the cookies of a request, with the values of the route's fixture. */
  async #handshake(route: string, pattern: string, request: SuiteRequest): Promise<Handshake> {
    const given = this.#fixtures.routes?.[route] ?? {};
    const fixture: Fixture = typeof given === "function" ? await given(this.client) : given;
    const { params = {}, query, headers, cookies } = request;
    return {
      fixture,
      path: filled(route, pattern, { ...fixture.params, ...params }),
      query: { ...fixture.query, ...query },
      headers: { ...(await resolveHeaders(fixture.headers)), ...(await resolveHeaders(headers)) },
      cookies: { ...fixture.cookies, ...cookies },
    };
  }

  async insert<T>(factory: Factory<T>, overrides?: OverridesOrFunction<T>): Promise<T> {
    const value = factory.build(overrides);
    await this.#tables().insert(factory.type, [value]);
    return value;
  }

  async insertMany<T>(factory: Factory<T>, count: number, overrides?: OverridesOrFunction<T>): Promise<T[]> {
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
    throw new Error(
      "The suite has no database, because no type of the project has `@table` or the option `database` is false",
    );
  }
}

/** Returns the path of a route with its parameters replaced: `/notes/:id` gives `/notes/7`. */
function filled(route: string, pattern: string, params: Readonly<Record<string, string | number>>): string {
  return fillRoutePath(pattern, (name) => {
    const value = params[name];
    if (value === undefined)
      throw new TypeError(
        `The request to \`${route}\` has no value for the path parameter \`${name}\`. Add \`params: { ${name}: … }\``,
      );
    return String(value);
  });
}

/** Returns true for a plain object: no list, no form, no file and no bytes. */
function isMembers(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
