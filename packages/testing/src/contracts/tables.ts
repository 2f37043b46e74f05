import type { Shape } from "@kit/core/codec";

/** Part of a request. */
export type Slot = "params" | "query" | "body";

/** Slot, path, description and value of a valid change; then the value that the handler gets if the value is missing. */
export type AcceptedRow = readonly [
  slot: Slot,
  path: string,
  what: string,
  given: unknown,
  defaultValue?: unknown,
];

/** Slot, path, description and value of an invalid change. `within`: the response may name a path below this one. */
export type RefusedRow = readonly [slot: Slot, path: string, what: string, given: unknown, where?: "within"];

/** Contract of a route, as a list of requests. */
export interface RouteTable {
  /** Method and path pattern, for example `GET /notes/:id`. */
  readonly route: string;
  /** Reason why the configuration excludes the route. */
  readonly skip?: string;
  /** Reason why the route cannot be tested. */
  readonly untested?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Status of a successful response. */
  readonly success?: number;
  /** Errors that are declared with `@throws`, for example `404 NOTE_NOT_FOUND`. */
  readonly errors?: readonly string[];
  /** Shape of the body of a successful response; `null` if the response has no body. */
  readonly response?: Shape | null;
  /** Method that the path does not accept, and the `Allow` header with the methods that it accepts. */
  readonly wrongMethod?: { readonly method: string; readonly allow: string };
  /** Valid request. */
  readonly request?: Readonly<Partial<Record<Slot, unknown>>>;
  /** Members of the body that get another string in each request. `{}` is replaced by a unique string. */
  readonly fresh?: Readonly<Record<string, string>>;
  /** Objects of the request that accept only declared members. */
  readonly closed?: readonly (readonly [slot: Slot, path: string])[];
  readonly accepts?: readonly AcceptedRow[];
  readonly refuses?: readonly RefusedRow[];
  /** Number of rules that have no test because the route has too many rules. */
  readonly leftOut?: number;
}

/** Functions of node:test and vitest that contract tests use. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown;
  /** Declares a test. node:test ignores the third argument, and has no timeout by default. */
  test(
    name: string,
    run: (context: { skip(reason?: string): void }) => Promise<void>,
    timeout?: number,
  ): unknown;
  before(run: () => Promise<void>): unknown;
  after(run: () => Promise<void>): unknown;
}
