import type { TestClient } from "./client.ts";
import type { CookieValues, TestHeaders } from "./header-texts.ts";

/** Values of a valid request that the contract cannot specify, for example the id of an existing row. */
export interface Fixture {
  /**
   * Headers of each request of the route, including requests that must be refused. They override {@link Fixtures.headers} and the headers
   * of the configuration.
   */
  readonly headers?: TestHeaders;
  /** Cookies of each request of the route. They replace generated cookies. */
  readonly cookies?: CookieValues;
  /** Values of path parameters, unescaped. */
  readonly params?: Readonly<Record<string, string>>;
  /** Properties of the query that replace generated properties. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** Properties of the body that replace generated properties. */
  readonly body?: Readonly<Record<string, unknown>> | readonly unknown[] | string | Uint8Array;
}

/**
 * Creates the fixture for one request. Called before each valid request of its route. If its result has `headers`, it is called before each
 * invalid request too.
 */
export type FixtureMaker = (client: TestClient) => Fixture | Promise<Fixture>;

/** Default export of the module that the setting `tests.fixtures` names. */
export interface Fixtures {
  /**
   * Headers of every request, including requests of `client`. They override `tests.headers` of the configuration. A function is called for
   * each request.
   */
  readonly headers?: TestHeaders;
  /**
   * Headers of a caller who is authenticated but has none of the scopes that contracts require. They override
   * {@link Fixtures.headers}. Contract tests expect 403 `INSUFFICIENT_SCOPE` for this caller. Without these headers, the
   * tests of scopes are skipped.
   */
  readonly withoutScopes?: TestHeaders;
  /** Called once, before the first request of a test file. */
  readonly setup?: (client: TestClient) => void | Promise<void>;
  /** Called once, after the last request of a test file. */
  readonly teardown?: (client: TestClient) => void | Promise<void>;
  /** Fixtures by method and complete path pattern: `"GET /notes/:id"`. */
  readonly routes?: Readonly<Record<string, Fixture | FixtureMaker>>;
}

/**
 * Declares the fixtures of contract tests. Returns its argument, with its type checked.
 *
 * @example
 * ```ts
 * // tests/fixtures.ts
 * import { defineFixtures, type FixtureMaker } from "@kit/testing";
 * import { signedToken } from "./token.ts";
 *
 * const note: FixtureMaker = async (client) => {
 *   const { body } = await client.request("POST", "/notes", { body: { title: "Groceries", content: "" } });
 *   return { params: { id: (body as { id: string }).id } };
 * };
 *
 * export default defineFixtures({
 *   headers: async () => ({ authorization: `Bearer ${await signedToken("ada")}` }),
 *   routes: { "GET /notes/:id": note, "DELETE /notes/:id": note },
 * });
 * ```
 */
export function defineFixtures(fixtures: Fixtures): Fixtures {
  return fixtures;
}
