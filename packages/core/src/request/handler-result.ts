/** Checks of the values that handlers return. */
import { endContent } from "../bodies/content.ts";
import { ResponseContractError } from "../validation-error.ts";
import { OpenDownload } from "./open-download.ts";
import { RawResponse } from "./raw-response.ts";
import { DeclaredReply } from "./reply.ts";

/** Ends the streams and closes the file of a result that is not sent, so that no file or connection stays open. */
export function dropResult(result: unknown, reason: string): void {
  if (result instanceof RawResponse) result.cancel(new Error(reason));
  else if (result instanceof OpenDownload) result.close();
  else endContent(result instanceof DeclaredReply ? result.body : result);
}

/**
 * Returns true for a stream that was not passed to `ctx.send`. For a contract with the response `unknown`, it
 * would otherwise be sent as `{}`.
 */
export function isUnwrappedStream(result: unknown): boolean {
  return (
    typeof result === "object" &&
    result !== null &&
    (result as { [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator] !== undefined
  );
}

/** Error for a handler that returned no reply although its contract declares replies. */
export function notAReply(ref: string, result: unknown): TypeError {
  dropResult(result, "The contract of the route declares replies");
  const found =
    result === undefined ? "nothing" : result instanceof RawResponse ? "the result of ctx.send" : "a value";
  return new TypeError(
    `The handler of ${ref} returned ${found}, but the contract declares replies; return reply(status, …) with one of them`,
  );
}

/** Error for a handler that returned a value although its contract has no response. */
export function unexpectedResponse(ref: string): ResponseContractError {
  const suggestion = "Return nothing from the handler, or write a response type in the contract";
  return new ResponseContractError(ref, "void", [
    { path: "$", expected: "nothing", received: "a value", rule: "unknown", suggestion },
  ]);
}
