/**
 * Error of a call: the error response of the server, or the reason why there is no response.
 *
 * @example
 * ```ts
 * const result = await api.post("/notes", { body }).result();
 * if (!result.ok) console.error(result.error.status, result.error.code, result.error.traceId);
 * ```
 */
export class ApiError<
  Code extends string = string,
  Status extends number = number,
  Details = unknown,
> extends Error {
  override readonly name = "ApiError";
  /**
   * Code of the error: one that the route declares (`NOTE_NOT_FOUND`), one of kit (`VALIDATION_ERROR`,
   * `INTERNAL_SERVER_ERROR`, …), or one of this client: `NETWORK_ERROR`, `TIMEOUT`, and `UNEXPECTED_RESPONSE` for a
   * response that is not in kit's format.
   */
  readonly code: Code;
  /** HTTP status. 0 if there was no response. */
  readonly status: Status;
  /** Details that the server sent with the message. */
  readonly details: Details;
  /** Trace id of the request in the server's logs and traces. Empty if there was no response. */
  readonly traceId: string;
  /** Headers of the response. Empty if there was no response. */
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
 * Returns true if a thrown value is an {@link ApiError}, and has the given code.
 *
 * @param error - Thrown value.
 * @param code - Code that the error must have. If it is left out, every code matches.
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

/** Creates an {@link ApiError} from an error response. `decodeDetails` converts the details of an error with a code. */
export async function errorOf(
  response: Response,
  decodeDetails: (code: string, details: unknown) => unknown,
): Promise<ApiError> {
  const { status, headers } = response;
  const text = await response.text();
  let envelope: { code?: unknown; message?: unknown; details?: unknown; traceId?: unknown } | undefined;
  try {
    envelope = (JSON.parse(text) as { error?: typeof envelope }).error;
  } catch {
    // Not JSON, for example the error page of a proxy. Handled below.
  }
  if (typeof envelope?.code !== "string") {
    return new ApiError(
      "UNEXPECTED_RESPONSE",
      status,
      `The server responded with ${status} in an unknown format`,
      {
        details: text.slice(0, 1000),
        headers,
      },
    );
  }
  return new ApiError(envelope.code, status, String(envelope.message), {
    details: decodeDetails(envelope.code, envelope.details),
    traceId: String(envelope.traceId ?? ""),
    headers,
  });
}
