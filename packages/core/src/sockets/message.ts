/** Messages of WebSockets on the wire: JSON, plain text and bytes. */
import type { CompiledSocket, MessageKind, ValidationFailure } from "@kit/types";

import { findUnstorable } from "../unstorable-characters.ts";
import { ResponseContractError } from "../validation-error.ts";

/** Result of reading a message: its value, or the close code and the broken rules. */
export type ReadMessage =
  | { readonly value: unknown }
  | { readonly code: number; readonly failures: readonly ValidationFailure[] };

const onlyJson: readonly MessageKind[] = ["json"];

/** Checks and decodes a message of the client. The close codes are those of RFC 6455, 7.4.1. */
export function readMessage(
  data: string | Uint8Array,
  { in: validator, kinds }: CompiledSocket,
): ReadMessage {
  const allowed = kinds?.in ?? onlyJson;
  if (typeof data !== "string") {
    if (allowed.includes("bytes")) return { value: plainBytes(data) };
    return otherKind(allowed[0] === "text" ? "a text message" : "JSON in a text message", "a binary message");
  }
  if (validator === null) {
    if (!allowed.includes("text")) return otherKind("a binary message", "a text message");
    const failure = data.includes("\0") ? findUnstorable(data) : undefined;
    return failure === undefined ? { value: data } : { code: 1008, failures: [failure] };
  }
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    const received = "text that is not JSON";
    return { code: 1007, failures: [{ path: "$", expected: "JSON", received, rule: "json" }] };
  }
  if (!validator.is(value)) return { code: 1008, failures: validator.failures(value) };
  const decoded = validator.decode(value);
  const failure = data.includes("\\u") ? findUnstorable(decoded) : undefined;
  return failure === undefined ? { value: decoded } : { code: 1008, failures: [failure] };
}

/** Returns bytes as a `Uint8Array`, because servers on node:http have a `Buffer`. */
function plainBytes(data: Uint8Array): Uint8Array {
  return data.constructor === Uint8Array
    ? data
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function otherKind(expected: string, received: string): ReadMessage {
  return { code: 1003, failures: [{ path: "$", expected, received, rule: "encoding" }] };
}

/**
 * Returns a message of the handler as it is sent. `isChecked` is true if JSON is checked against its type. `ref` is the route.
 *
 * @throws {ResponseContractError} If the message breaks the contract.
 */
export function writeMessage(
  message: unknown,
  { out, kinds }: CompiledSocket,
  ref: string,
  isChecked: boolean,
): string | Uint8Array {
  const allowed = kinds?.out ?? onlyJson;
  if (message instanceof Uint8Array && allowed.includes("bytes")) return message;
  if (typeof message === "string" && allowed.includes("text")) return message;
  if (out === null) {
    const names = allowed.map((kind) => (kind === "text" ? "string" : "Uint8Array"));
    const failure: ValidationFailure = {
      path: "$",
      expected: names.join(" or "),
      received: message === null ? "null" : typeof message,
      rule: "type",
    };
    throw new ResponseContractError(ref, "message", [failure]);
  }
  if (isChecked) {
    const failures = out.failures(message);
    if (failures.length > 0) throw new ResponseContractError(ref, out.name, failures);
  }
  return out.serialize(message);
}
