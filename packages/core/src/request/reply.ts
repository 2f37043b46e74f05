import type { CompiledReply, CompiledRoute } from "@kit/types";

import { count } from "../codec/describe.ts";
import { ResponseContractError } from "../validation-error.ts";

/** Result of `reply(status, …)`, which the handler of a contract with replies returns. */
export class DeclaredReply {
  readonly status: number;
  readonly body: unknown;
  /** Headers that the handler passed. `undefined` if it passed none. */
  readonly headers: unknown;

  constructor(status: number, body: unknown, headers: unknown) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Function `reply` of a handler's input. */
export type ReplyToStatus = (status: number, ...parts: unknown[]) => DeclaredReply;

/** Replies of a route, by status. */
export type Replies = NonNullable<CompiledRoute["replies"]>;

/**
 * Creates the function `reply` for the handler of a route. The arguments after the status are the body, if the reply
 * has one, and the headers. `owner` declares the replies: the contract or a wrapper.
 */
export function replyFunction(ref: string, replies: Replies, owner = "the contract"): ReplyToStatus {
  return (status, ...parts) => {
    const declared = findReply(ref, replies, status, owner);
    const hasBody = declared.body !== null || declared.content !== undefined;
    const most = (hasBody ? 1 : 0) + (declared.headers === null ? 0 : 1);
    if (parts.length > most) {
      throw new TypeError(
        `${ref}: reply(${status}, …) received ${count(parts.length, "argument")} after the status, but takes ${most}, because ${owner} declares ${partsInWords(declared)} for this reply`,
      );
    }
    return hasBody
      ? new DeclaredReply(status, parts[0], parts[1])
      : new DeclaredReply(status, undefined, parts[0]);
  };
}

/**
 * Returns the declared reply of a status.
 *
 * @throws {TypeError} If `owner`, the contract or a wrapper, declares no reply with this status.
 */
export function findReply(
  ref: string,
  replies: Replies,
  status: number,
  owner = "the contract",
): CompiledReply {
  if (Object.hasOwn(replies, status)) return replies[status]!;
  const statuses = Object.keys(replies);
  const declared = statuses.length === 0 ? "" : `, but replies with ${statuses.join(", ")}`;
  const choice = statuses.length === 0 ? "Add" : "Reply with one of these, or add";
  throw new TypeError(
    `${ref}: ${owner} declares no reply with the status ${String(status)}${declared}. ${choice} a Reply to ${owner} and run \`kit build\``,
  );
}

/**
 * Checks the body and the headers of a reply against their declared types.
 *
 * @throws {ResponseContractError} If one of them is invalid.
 */
export function checkReply(
  ref: string,
  declared: CompiledReply,
  { status, body, headers }: DeclaredReply,
): void {
  const failures = declared.body?.failures(body) ?? [];
  if (failures.length > 0) {
    const found = `a reply ${status} with a body that is not a valid`;
    throw new ResponseContractError(ref, declared.body!.name, failures, found);
  }
  const ofHeaders = declared.headers?.failures(headers ?? {}) ?? [];
  if (ofHeaders.length > 0) {
    const found = `a reply ${status} with headers that are not a valid`;
    throw new ResponseContractError(ref, declared.headers!.name, ofHeaders, found);
  }
}

function partsInWords({ body, content, headers }: CompiledReply): string {
  const hasBody = body !== null || content !== undefined;
  if (!hasBody) return headers === null ? "neither a body nor headers" : "only headers";
  return headers === null ? "only a body" : "a body and headers";
}
