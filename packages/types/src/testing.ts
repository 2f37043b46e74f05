/**
 * Connection of an application to `kit test`. `kit test` stores this object in the processes of tests, as
 * `Symbol.for("kit.testing")` of `globalThis`. An application that finds the object reports each request and its
 * response, and `kit test` counts how much of the contracts the tests cover.
 */
export interface TestLink {
  /** Version of this interface. An application that supports another version ignores the object. */
  readonly version: 2;
  /**
   * Called with the refs of the routes before an application serves. Resolves to the recorder of its requests, or
   * to `undefined` if the requests of this application are not counted.
   */
  watch(routes: readonly string[]): Promise<TestRecorder | undefined>;
}

/** Receives the requests and messages of an application. */
export interface TestRecorder {
  /** Records a request and its response. Called after each response. */
  answered(request: TestedRequest, response: TestedResponse): void;
  /** Called for each message of a WebSocket, in both directions, and for each event of a response. */
  messaged(request: TestedRequest, message: TestedMessage): void;
}

/**
 * Request that no route of kit matches, and that the middleware `routes` of a server has passed on to the framework around kit. Adapters
 * publish it on the channel `kit.passed` of `node:diagnostics_channel`, so that contract tests know that kit has not decided about the
 * request.
 */
export interface PassedRequest {
  /** Method in upper case. */
  readonly method: string;
  /** True if the framework has left the request to kit again, because it has no handler for the request. */
  readonly isReturned: boolean;
}

/** Message of a WebSocket, or event of a response. */
export interface TestedMessage {
  /** `in` for messages of the client. */
  readonly direction: "in" | "out";
  /** Name of the event. Absent for messages of WebSockets. */
  readonly event?: string;
  /** Text of the message or of the event's data, which is JSON or plain text. Empty for a binary message. */
  readonly text: string;
  /** True for a binary message. Absent for other messages. */
  readonly isBinary?: true;
}

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
