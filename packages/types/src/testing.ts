/**
 * What `kit test` puts into the processes of tests, under `Symbol.for("kit.testing")` of `globalThis`: an application that finds it tells
 * of each request and its answer, so that `kit test` counts what tests have seen of the contracts.
 */
export interface TestLink {
  /** Of this interface; an application of another version takes no notice. */
  readonly version: 1;
  /**
   * Called before an application serves, with the refs of its routes. Resolves to what is told of its requests; to nothing if the
   * requests of this application are not counted.
   */
  watch(routes: readonly string[]): Promise<TestWatch | undefined>;
}

/** Told of a request when it is answered. */
export type TestWatch = (request: TestedRequest, answer: TestedAnswer) => void;

/** A request as it arrived. */
export interface TestedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Text of the body; absent if there is no body. */
  readonly text?: string;
}

/** The answer to it. */
export interface TestedAnswer {
  readonly status: number;
  /** Parsed JSON of an error's body, else `undefined`. */
  readonly body: unknown;
}
