import { evaluatePreconditions } from "./preconditions.ts";

/** Entity tag and time of the last change of the data that a request reads or changes (RFC 9110, 8.8). */
export interface CurrentVersion {
  /** Entity tag in quotes, such as `"7"`. Absent if there is none. */
  readonly tag?: string;
  /** Time of the last change. Absent if the time is unknown. Headers have whole seconds. */
  readonly lastModified?: Date;
}

/** Parts of a request that the preconditions depend on. The input of middleware and of wrappers has them. */
export interface ConditionalRequest {
  /** Method of the request, in upper case. */
  readonly method: string;
  /** Request headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns true if the preconditions of a request are true: `if-match`, `if-unmodified-since`, `if-none-match` and
 * `if-modified-since` in the order of [RFC 9110, 13.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2). A
 * request without these headers has no preconditions, so the result is true.
 *
 * Call the function before a change, and respond with 412 if the result is false. Then a client cannot overwrite a
 * version that it has not read.
 *
 * @param request - Input of a wrapper or middleware, or an object with the method and the headers.
 * @param current - Version that is stored now. `null` if nothing is stored; then `if-match` fails, and `if-none-match: *`
 *   holds.
 * @example
 * ```ts
 * const unchanged = defineWrapper<{ errors: Failure<412, "CHANGED"> }>((input, next) =>
 *   preconditionsHold(input, { tag: versionOf(input.params["id"]) })
 *     ? next()
 *     : input.ctx.fail(412, "CHANGED", "Somebody else has changed the note; read the note again"),
 * );
 * ```
 */
export function preconditionsHold(request: ConditionalRequest, current: CurrentVersion | null): boolean {
  const version =
    current === null
      ? null
      : { tag: current.tag ?? null, lastModified: current.lastModified?.toUTCString() ?? null };
  return evaluatePreconditions(request.method, (name) => request.headers[name], version) === "passed";
}
