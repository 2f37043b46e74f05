/**
 * Connection of an application to `kit test`. `kit test` stores this object in the processes of tests, as
 * `Symbol.for("kit.testing")` of `globalThis`. An application that finds the object reports each request and its
 * response, and `kit test` counts how much of the contracts the tests cover.
 */
export interface TestLink {
  /** Version of this interface. An application that supports another version ignores the object. */
  readonly version: 1;
  /**
   * Called with the refs of the routes before an application serves. Resolves to a function that receives its requests,
   * or to `undefined` if the requests of this application are not counted.
   */
  watch(routes: readonly string[]): Promise<TestRecorder | undefined>;
}

/** Receives a request when it has its response. */
export type TestRecorder = (request: TestedRequest, response: TestedResponse) => void;

/** Request as received. */
export interface TestedRequest {
  /** Method in upper case. */
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Headers by lower-case name. Absent if the sender did not record them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body as a string. Absent if there is no body. */
  readonly body?: string;
}

/** Response to a tested request. */
export interface TestedResponse {
  /** HTTP status. */
  readonly status: number;
  /** Parsed JSON of an error body, otherwise `undefined`. */
  readonly body: unknown;
}
