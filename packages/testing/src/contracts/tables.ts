import type { Shape } from "@kit/core/codec";

/** A part of a request. */
export type Slot = "params" | "query" | "body";

/** Slot, path, what is there in words, what is there; and what the handler gets where that is nothing. */
export type TakenRow = readonly [slot: Slot, path: string, what: string, given: unknown, filledIn?: unknown];

/** Slot, path, what is there in words, what is there. `within`: the failure may be named at what is below the path. */
export type RefusedRow = readonly [slot: Slot, path: string, what: string, given: unknown, where?: "within"];

/** The contract of a route as requests. */
export interface RouteTable {
  /** `GET /notes/:id`. */
  readonly route: string;
  /** Why the configuration leaves it out. */
  readonly skip?: string;
  /** Why it cannot be tested. */
  readonly untested?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status of success. */
  readonly success?: number;
  /** Declared with `@throws`: `404 NOTE_NOT_FOUND`. */
  readonly errors?: readonly string[];
  /** Of a successful answer; `null` where it has no body. */
  readonly response?: Shape | null;
  /** A method that this path does not take, and those that it takes. */
  readonly wrongMethod?: { readonly method: string; readonly allow: string };
  /** A valid request. */
  readonly request?: Readonly<Partial<Record<Slot, unknown>>>;
  /** Members of the body that are another text in each request; `{}` stands for what differs. */
  readonly fresh?: Readonly<Record<string, string>>;
  /** Objects of the request that have no members but the declared ones. */
  readonly closed?: readonly (readonly [slot: Slot, path: string])[];
  readonly takes?: readonly TakenRow[];
  readonly refuses?: readonly RefusedRow[];
  /** How many rules are not asked, because there are too many. */
  readonly leftOut?: number;
}

/** What of node:test and vitest is used. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown;
  /** node:test takes no third argument, and has no timeout by itself. */
  test(
    name: string,
    run: (context: { skip(reason?: string): void }) => Promise<void>,
    timeout?: number,
  ): unknown;
  before(run: () => Promise<void>): unknown;
  after(run: () => Promise<void>): unknown;
}
