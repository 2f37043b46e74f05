import { evaluatePreconditions } from "../edge/preconditions.ts";
import { type ByteRange, rangesOf } from "../files/range.ts";
import { type FileValidators, holdsIfRange } from "../files/validators.ts";
import { preconditionFailed, rangeNotSatisfiable } from "./refusals.ts";
import type { RequestState } from "./request-state.ts";

/** Bytes of which a request may select ranges. */
export interface Representation {
  readonly size: number;
  readonly validators: FileValidators;
  /** Headers of responses with bytes and of 304: name, value, name, value. */
  readonly headers: readonly string[];
}

/**
 * Evaluates the preconditions and the ranges of a GET or HEAD request. Returns the ranges, or `null` if the whole body is sent;
 * then the headers of the response are set. Returns `undefined` if the request was answered with 304, 412 or 416.
 */
export function selectRanges(
  state: RequestState,
  { size, validators, headers }: Representation,
): readonly ByteRange[] | null | undefined {
  const { exchange, method } = state;
  const header = (name: string): string | undefined => exchange.header(name);
  const result = evaluatePreconditions(method, header, validators);
  if (result === "failed") {
    state.refuse(preconditionFailed());
    return undefined;
  }
  if (result === "not-modified") {
    setHeaders(state, [...headers, ...validatorHeaders(validators, true)]);
    state.respond(304, null);
    return undefined;
  }
  const range = header("range");
  // RFC 9110, 14.2: ranges are defined for GET only.
  const isPart = range !== undefined && method === "GET" && holdsIfRange(header("if-range"), validators);
  const ranges = isPart ? rangesOf(range, size) : null;
  if (ranges?.length === 0) {
    state.refuse(rangeNotSatisfiable(size));
    return undefined;
  }
  setHeaders(state, [...headers, ...validatorHeaders(validators, false), "accept-ranges", "bytes"]);
  return ranges;
}

/** Returns the value of the header `content-range` (RFC 9110, 14.4). */
export function contentRange({ first, last }: ByteRange, size: number): string {
  return `bytes ${first}-${last}/${size}`;
}

/** Sets headers of a list of name, value, name, value. */
export function setHeaders(state: RequestState, headers: readonly string[]): void {
  for (let index = 0; index < headers.length; index += 2)
    state.setHeader(headers[index]!, headers[index + 1]!);
}

/** Returns the headers with the validators. A 304 response has `last-modified` only if there is no entity tag. */
function validatorHeaders({ tag, lastModified }: FileValidators, isShort: boolean): readonly string[] {
  return [
    ...(tag === null ? [] : ["etag", tag]),
    ...(lastModified === null || (isShort && tag !== null) ? [] : ["last-modified", lastModified]),
  ];
}
