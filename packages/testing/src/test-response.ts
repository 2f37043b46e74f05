/** Response with its complete body. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Bytes of the body. Absent in responses that tests create themselves. */
  readonly bytes?: Uint8Array;
  /** Body parsed as JSON, or `undefined` if the body is not valid JSON. */
  readonly body: unknown;
}

/** Request in the form in which it was sent. */
export interface SentRequest {
  readonly method: string;
  /** Path and query as in the URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string;
}

const requests = new WeakMap<TestResponse, SentRequest>();

/** Stores the request to which a response belongs. */
export function remember(answer: TestResponse, request: SentRequest): void {
  requests.set(answer, request);
}

/** Returns the request to which a response belongs, or `undefined` if none was stored. */
export function requestOf(answer: TestResponse): SentRequest | undefined {
  return requests.get(answer);
}
