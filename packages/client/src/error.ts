/** What went wrong with a call: what the server answered, or why there is no answer. */
export class ApiError<
  Code extends string = string,
  Status extends number = number,
  Details = unknown,
> extends Error {
  override readonly name = "ApiError";
  /**
   * The error's code: one that the route declares (`NOTE_NOT_FOUND`), one of kit's (`VALIDATION_ERROR`, `INTERNAL_SERVER_ERROR`, …), or of this
   * client: `NETWORK_ERROR`, `TIMEOUT`, and `UNEXPECTED_RESPONSE` for an answer that is not kit's.
   */
  readonly code: Code;
  /** HTTP status; 0 where there was no answer. */
  readonly status: Status;
  /** What the server said beyond the message. */
  readonly details: Details;
  /** Names the request in the server's logs and traces; empty where there was no answer. */
  readonly traceId: string;
  /** The answer's headers; none where there was no answer. */
  readonly headers: Headers;

  constructor(
    code: Code,
    status: Status,
    message: string,
    more: { details?: unknown; traceId?: string; headers?: Headers; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.status = status;
    this.details = more.details as Details;
    this.traceId = more.traceId ?? "";
    this.headers = more.headers ?? new Headers();
  }
}

/**
 * Whether something thrown is an error of a call, and of that code where one is given.
 *
 * @example
 * ```ts
 * try {
 *   await api.get("/notes/:id", { params: { id } });
 * } catch (error) {
 *   if (!isApiError(error, "NOTE_NOT_FOUND")) throw error;
 * }
 * ```
 */
export function isApiError<Code extends string = string>(
  error: unknown,
  code?: Code,
): error is ApiError<Code> {
  return error instanceof ApiError && (code === undefined || error.code === code);
}

/** The error that an answer is which is no success. */
export async function errorOf(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const text = await response.text();
  let envelope: { code?: unknown; message?: unknown; details?: unknown; traceId?: unknown } | undefined;
  try {
    envelope = (JSON.parse(text) as { error?: typeof envelope }).error;
  } catch {
    // Of a proxy, say: it is told below.
  }
  if (typeof envelope?.code !== "string") {
    return new ApiError("UNEXPECTED_RESPONSE", status, `The server answered ${status}, and not as kit does`, {
      details: text.slice(0, 1000),
      headers,
    });
  }
  return new ApiError(envelope.code, status, String(envelope.message), {
    details: envelope.details,
    traceId: String(envelope.traceId ?? ""),
    headers,
  });
}
