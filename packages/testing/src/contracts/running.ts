import { fileURLToPath } from "node:url";

import type { ServerService } from "@kit/types";

import { createTestClient, type TestClient } from "../client.ts";
import { type HeaderTexts, resolveHeaders, withCookies } from "../header-texts.ts";
import { testDatabase } from "../database.ts";
import type { Fixture, Fixtures } from "../fixtures.ts";
import type { TestResponse } from "../test-response.ts";
import { applicationOf } from "./application.ts";
import { fail } from "./expect.ts";
import type { ContractTests, RouteTable } from "./tables.ts";

/** Fixture whose headers are values, not a function that returns values. */
export interface ResolvedFixture extends Omit<Fixture, "headers"> {
  readonly headers: HeaderTexts;
}

/** Application under test, with the fixtures that its requests need. */
export class Running {
  readonly client: TestClient;
  readonly #service: Pick<ServerService, "routes" | "limits" | "bodyLimits">;
  readonly fixtures: Fixtures;
  /** Returns the headers that the client adds to each request. */
  readonly defaultHeaders: () => Promise<HeaderTexts>;
  /** Routes for which the fixture's function has returned no headers at its first call. */
  readonly #withoutHeaders = new Set<string>();
  /** Routes that refused the credentials of the tests with 401 or 403. Their other tests are skipped. */
  readonly #closed = new Set<string>();

  private constructor(
    client: TestClient,
    service: ServerService,
    fixtures: Fixtures,
    defaultHeaders: () => Promise<HeaderTexts>,
  ) {
    this.client = client;
    this.#service = service;
    this.fixtures = fixtures;
    this.defaultHeaders = defaultHeaders;
  }

  /** Starts the application. If the application needs a database, prepares a test database first. */
  static async start(tests: ContractTests): Promise<Running> {
    if (tests.database) await testDatabase({ root: fileURLToPath(tests.root) });
    const fixtures = await fixturesOf(tests);
    const app = applicationOf(await tests.app());
    const headers = async (): Promise<HeaderTexts> => ({
      ...(await resolveHeaders(tests.headers)),
      ...(await resolveHeaders(fixtures.headers)),
    });
    const client = await createTestClient(app, { headers });
    try {
      await fixtures.setup?.(client);
      return new Running(client, await app.service(), fixtures, headers);
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    try {
      await this.fixtures.teardown?.(this.client);
    } finally {
      await this.client.close();
    }
  }

  /** Returns the maximum size of a body in bytes. */
  bodyLimit(route: string): number {
    const { routes, limits, bodyLimits } = this.#service;
    return bodyLimits?.byRoute[routes.indexOf(route)] ?? limits.bodyBytes;
  }

  /** Returns true after the route has refused the credentials of the tests. */
  isClosed(route: string): boolean {
    return this.#closed.has(route);
  }

  /**
   * Checks the response to a valid request or handshake. Fails if the application refuses the credentials of the tests. Further tests of
   * the route are skipped then.
   */
  checkCredentials({ route }: RouteTable, answer: TestResponse): void {
    if (answer.status !== 401 && answer.status !== 403) return;
    this.#closed.add(route);
    fail(
      `${route} refused the test's credentials. Set headers for all routes with \`tests: { headers: { authorization: "…" } }\` in kit.config.ts, or for this route with \`tests.routes["${route}"].headers\`. To sign tokens, use a function as \`headers\` of \`defineFixtures\``,
      answer,
    );
  }

  hasFixture(route: string): boolean {
    return this.fixtures.routes?.[route] !== undefined;
  }

  /**
   * Creates the fixture of a route: values of a valid request that the contract cannot specify, such as the id of an
   * existing row.
   */
  async fixture(route: string): Promise<ResolvedFixture> {
    const given = this.fixtures.routes?.[route] ?? {};
    const fixture = typeof given === "function" ? await given(this.client) : given;
    return { ...fixture, headers: withCookies(await resolveHeaders(fixture.headers), fixture.cookies) };
  }

  /**
   * Returns all headers of a request of the route: the headers of the client, and the headers of the route's fixture.
   */
  async allHeaders(route: string): Promise<HeaderTexts> {
    return { ...(await this.defaultHeaders()), ...(await this.headers(route)) };
  }

  /**
   * Returns the headers of the route's fixture, for a request that the application must refuse before its handler runs.
   */
  async headers(route: string): Promise<HeaderTexts> {
    const given = this.fixtures.routes?.[route];
    if (given === undefined || this.#withoutHeaders.has(route)) return {};
    const { headers, cookies } = typeof given === "function" ? await given(this.client) : given;
    // A fixture function usually inserts rows, which a refused request does not need. So it is not called again if it
    // returns neither headers nor cookies.
    if (headers === undefined && cookies === undefined) this.#withoutHeaders.add(route);
    return withCookies(await resolveHeaders(headers), cookies);
  }
}

/**
 * Imports the module with the fixtures. Throws an error if a fixture names an unknown route, so that a typing
 * mistake in its name is found.
 */
async function fixturesOf({ fixtures, contracts }: ContractTests): Promise<Fixtures> {
  if (fixtures === undefined) return {};
  const module = (await fixtures()) as { default?: unknown };
  if (typeof module.default !== "object" || module.default === null) {
    throw new TypeError(
      "The module that `tests.fixtures` names has no default export. Write `export default defineFixtures({ … })`",
    );
  }
  const found: Fixtures = module.default;
  const known = contracts.application.routes.map((route) => route.ref);
  const unknown = Object.keys(found.routes ?? {}).find((route) => !known.includes(route));
  if (unknown !== undefined) {
    throw new TypeError(
      `The fixtures name the route \`${unknown}\`, but the application has no such route. Its routes are ${known.join(", ")}`,
    );
  }
  return found;
}
