/** Responses that are not JSON, and the status of a plain result. */
import type { CompiledContent, CompiledRoute, ValidationFailure } from "@kit/types";

import { writeContent } from "../bodies/content.ts";
import type { StreamLog } from "../observe/streams.ts";
import { ResponseContractError } from "../validation-error.ts";
import { RawResponse } from "./raw-response.ts";

/** Request for which a body is written. */
export interface ContentRequest {
  /** True if values are checked against the contract. */
  readonly isChecked: boolean;
  /** Headers of a declared reply. */
  readonly declaredHeaders: readonly string[];
  /** Log of the events or lines, for observers. */
  readonly log: StreamLog | null;
}

/**
 * Returns the body of a response that is not JSON.
 *
 * @throws {ResponseContractError} If `isChecked` is true and the value breaks the contract.
 */
export function responseContent(
  ref: string,
  content: CompiledContent,
  value: unknown,
  { isChecked, declaredHeaders, log }: ContentRequest,
): RawResponse {
  const report = (name: string, failures: readonly ValidationFailure[]): void => {
    throw new ResponseContractError(ref, name, failures);
  };
  const { body, contentType } = writeContent(ref, content, value, isChecked ? report : null, log);
  // node:http encodes the head like the body if the body is a string, so it would send other bytes for Latin-1.
  const isBytes = typeof body === "string" && !declaredHeaders.every(isAscii);
  return new RawResponse(isBytes ? Buffer.from(body) : body, { contentType });
}

/**
 * Returns the status of a plain result if no code chose another. A contract without a response has status 204, which
 * allows no body, so a result of `ctx.send` has status 200 there.
 */
export function statusOfResult({ response, status }: CompiledRoute, result: unknown): number {
  return response === null && status === 204 && result instanceof RawResponse ? 200 : status;
}

/** Returns true if a text in Latin-1 is also ASCII. */
export function isAscii(text: string): boolean {
  return !/[\x80-\xff]/.test(text);
}

/**
 * Returns the bytes of a body that is not JSON.
 *
 * @throws {TypeError} If the body is a stream.
 */
export function wholeBody(
  ref: string,
  raw: RawResponse,
): Pick<RawResponse, "contentType" | "defaultType"> & { readonly body: string | Uint8Array } {
  const { body, contentType, defaultType } = raw;
  if (typeof body === "string" || body instanceof Uint8Array) return { contentType, defaultType, body };
  const error = notWhole(ref);
  raw.cancel(error);
  throw error;
}

/** Returns the error for an answer that a wrapper cannot store. */
export function notWhole(ref: string): TypeError {
  return new TypeError(
    `${ref} answers with a stream, a download or a WebSocket, which a wrapper cannot store; remove the wrapper from this route`,
  );
}
