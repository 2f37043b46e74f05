import type { TestClient, TestHeaders } from "./client.ts";

/** What a valid request of a route needs that its contract cannot say: the id of what is there, say. */
export interface Fixture {
  /**
   * Headers of each request of the route, also of those that must be refused. They win over {@link Fixtures.headers} and over headers of
   * the configuration.
   */
  readonly headers?: TestHeaders;
  /** Values of path parameters, unescaped. */
  readonly params?: Readonly<Record<string, string>>;
  /** Members of the query, in place of those that kit made up. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** Members of the body, in place of those that kit made up. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * Makes what one request needs. Called before each valid request of its route; before each other request of the route too if its result
 * has `headers`.
 */
export type FixtureMaker = (client: TestClient) => Fixture | Promise<Fixture>;

/** The default export of the module that `tests.fixtures` of the configuration names. */
export interface Fixtures {
  /**
   * Headers of every request, those of `client` included. They win over `tests.headers` of the configuration. A function is called for each
   * request.
   */
  readonly headers?: TestHeaders;
  /** Called once, before the first request of a file of tests. */
  readonly setup?: (client: TestClient) => void | Promise<void>;
  /** Called once, after the last. */
  readonly teardown?: (client: TestClient) => void | Promise<void>;
  /** By method and final path: `"GET /notes/:id"`. */
  readonly routes?: Readonly<Record<string, Fixture | FixtureMaker>>;
}

/**
 * Types what contract tests need besides the contracts. Returns its argument.
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
