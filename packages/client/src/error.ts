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
  Body = unknown,
> extends Error {
  override readonly name = "ApiError";
  /**
   * Code of the error: a code that the route declares (`NOTE_NOT_FOUND`), a code of kit (`VALIDATION_ERROR`,
   * `INTERNAL_SERVER_ERROR`, …), or a code of this client: `NETWORK_ERROR`, `TIMEOUT`, and `UNEXPECTED_RESPONSE`
   * for a response that is not in the format of the API. If the error format has no codes, the code is `HTTP_` with
   * the status.
   */
  readonly code: Code;
  /** HTTP status. 0 if there was no response. */
  readonly status: Status;
  /** Details that the server sent with the message. */
  readonly details: Details;
  /**
   * Body of the response as parsed JSON. Has the declared type if the API declares its error format. `undefined` if there
   * was no response, or no JSON.
   */
  readonly body: Body;
  /** Trace id of the request in the server's logs and traces. Empty if there was no response. */
  readonly traceId: string;
  /** Headers of the response. Empty if there was no response. */
  readonly headers: Headers;

  constructor(
    code: Code,
    status: Status,
    message: string,
    more: {
      details?: unknown;
      body?: unknown;
      traceId?: string;
      headers?: Headers;
      cause?: unknown;
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.status = status;
    this.details = more.details as Details;
    this.body = more.body as Body;
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

/**
 * Location of each value in an error body, as a list of property names: `["error", "code"]` for
 * `body.error.code`.
 */
export interface ErrorPlaces {
  readonly code?: readonly string[];
  readonly message?: readonly string[];
  readonly details?: readonly string[];
  /** Place of the invalid values of a validation error. */
  readonly fields?: readonly string[];
  readonly traceId?: readonly string[];
}

/** Locations in kit's envelope, `{ error: { code, message, details?, traceId } }`. */
const envelope: ErrorPlaces = {
  code: ["error", "code"],
  message: ["error", "message"],
  details: ["error", "details"],
  traceId: ["error", "traceId"],
};

/**
 * Creates an {@link ApiError} from an error response, whose body is `text`. `decodeDetails` converts the details of an error
 * with a certain code.
 */
export function errorOf(
  { status, headers }: Response,
  text: string,
  decodeDetails: (code: string, details: unknown) => unknown,
  places: ErrorPlaces = envelope,
): ApiError {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON, for example the error page of a proxy. Handled below.
  }
  const isObject = typeof body === "object" && body !== null;
  // A format without a place of the code tells errors apart by their status only.
  const code = places.code === undefined ? `HTTP_${status}` : at(body, places.code);
  if (!isObject || typeof code !== "string") {
    return new ApiError(
      "UNEXPECTED_RESPONSE",
      status,
      `The server responded with ${status} in an unknown format`,
      {
        details: text.slice(0, 1000),
        body,
        headers,
      },
    );
  }
  const message = at(body, places.message) ?? `The server responded with ${status} ${code}`;
  return new ApiError(code, status, String(message), {
    details: decodeDetails(code, detailsOf(body, places)),
    body,
    traceId: String(at(body, places.traceId) ?? ""),
    headers,
  });
}

/**
 * Returns the details of an error body. If the API sends invalid values at another location of the body, they
 * become `details.fields`, as in kit's envelope.
 */
function detailsOf(body: unknown, { details: place, fields: fieldsPlace }: ErrorPlaces): unknown {
  const details = at(body, place);
  const fields = at(body, fieldsPlace);
  if (fields === undefined || (typeof details === "object" && details !== null && "fields" in details))
    return details;
  return typeof details === "object" && details !== null ? { ...details, fields } : { fields };
}

/** Returns the value at a location of a body. Returns `undefined` if the body has no value there. */
function at(body: unknown, place: readonly string[] | undefined): unknown {
  if (place === undefined) return undefined;
  let value = body;
  for (const name of place) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
