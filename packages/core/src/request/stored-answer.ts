import { createHash } from "node:crypto";

import type { AppError } from "@kit/errors";

import { Answer } from "./wrapped-answer.ts";
import { WrapperArgument } from "./context.ts";
import { invalidSlot } from "./refusals.ts";
import { type StoredAnswer, StoredResult } from "./stored-result.ts";
import type { PassedAnswer } from "./wrapper.ts";

/**
 * Returns an answer of `next` in the form in which it is sent, so that a wrapper can keep it and send it again. The
 * headers are those that the wrapped code set.
 *
 * @param answer - Answer of `next`.
 * @example
 * ```ts
 * const stored = storeAnswer(await next());
 * await save(stored);
 * return sendStored(stored);
 * ```
 * @throws {TypeError} If the body is a stream or a WebSocket, or if the argument is not an answer of `next`.
 */
export function storeAnswer(answer: PassedAnswer): StoredAnswer {
  if (!((answer as unknown) instanceof Answer))
    throw new TypeError("storeAnswer: the argument must be the answer of next()");
  return (answer as unknown as Answer).store();
}

/**
 * Creates an answer from a stored answer. A wrapper returns the result instead of the answer of `next`.
 *
 * @param stored - Result of {@link storeAnswer}.
 * @example
 * ```ts
 * const kept = await find(key);
 * if (kept !== undefined) return sendStored(kept);
 * ```
 */
export function sendStored(stored: StoredAnswer): PassedAnswer {
  return new StoredResult(stored) as unknown as PassedAnswer;
}

/**
 * Returns a SHA-256 hash of a request in hexadecimal digits: of its method, path, query, content type and body. Other
 * headers do not count.
 *
 * @param input - Input of a wrapper.
 * @example
 * ```ts
 * const fingerprint = requestFingerprint(input);
 * ```
 * @throws {TypeError} If the argument is not the input of a wrapper, or if the body arrives in chunks.
 */
export function requestFingerprint(input: object): string {
  if (!(input instanceof WrapperArgument))
    throw new TypeError("requestFingerprint: the argument must be the input of a wrapper");
  const { method, target, contentType, body } = input.fingerprinted();
  const head = [method, target, contentType].map((text) => JSON.stringify(text)).join("\n");
  return createHash("sha256").update(head).update("\n").update(body).digest("hex");
}

/**
 * Returns the error for a header that a wrapper refuses: 400 `VALIDATION_ERROR`, as if the contract declared the header.
 *
 * @param name - Name of the header in lower case.
 * @param expected - Value that the wrapper accepts, in words.
 * @param received - The value that the request has. `undefined` if the request does not have the header.
 * @example
 * ```ts
 * if (headers["x-tenant"] === undefined) throw invalidHeader("x-tenant", "the name of a tenant", undefined);
 * ```
 */
export function invalidHeader(name: string, expected: string, received: string | undefined): AppError {
  const failure = {
    path: `$[${JSON.stringify(name)}]`,
    expected,
    received: received === undefined ? "nothing" : "another text",
    rule: received === undefined ? "required" : "pattern",
    suggestion: `Send the header \`${name}\` with ${expected}`,
  } as const;
  return invalidSlot("headers", { name: "headers" }, [failure]);
}
