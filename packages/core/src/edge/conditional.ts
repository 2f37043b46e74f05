import type { ResponseBody, ServerExchange } from "@kit/types";

import { tagOf } from "./entity-tag.ts";
import { evaluatePreconditions, type PreconditionResult } from "./preconditions.ts";

/** Options for entity tags and conditional requests. */
export interface EtagOptions {
  /**
   * False to use only the tags that handlers set with `ctx.header("etag", …)`. By default, kit adds a weak tag of the
   * bytes to each response with the status 200 to GET and HEAD that has no tag, except to streams.
   */
  readonly generate?: boolean;
}

/** Validated {@link EtagOptions} with their defaults. */
export interface ReadEtag {
  readonly generate: boolean;
}

/** Response with the status 200 that is about to be sent. */
export interface FreshResponse {
  /** Headers as a list of lower-case name, value, name, value. */
  readonly headers: readonly string[] | null;
  /** Body. `undefined` if it is a stream. */
  readonly body: ResponseBody | undefined;
}

/**
 * Decision about a response. `tag` is the entity tag that kit adds to the response. It is `null` if the
 * response has a tag already, or gets none.
 */
export interface ConditionalDecision {
  readonly result: PreconditionResult;
  readonly tag: string | null;
}

/** Adds entity tags to responses, and evaluates the preconditions of GET and HEAD requests (RFC 9110, 13). */
export class Conditional {
  readonly #options: ReadEtag;

  constructor(options: ReadEtag) {
    this.#options = options;
  }

  /** Returns the decision about a response with the status 200 to this request. */
  decide(exchange: ServerExchange, { headers, body }: FreshResponse): ConditionalDecision {
    const { method } = exchange;
    if (method !== "GET" && method !== "HEAD") return { result: "passed", tag: null };
    const own = valueOf(headers, "etag");
    const isGenerated = this.#options.generate && own === null && body !== undefined && isStorable(headers);
    const tag = isGenerated ? tagOf(body ?? "") : own;
    const lastModified = valueOf(headers, "last-modified");
    // Most conditional requests have only `if-none-match` with the tag that kit generated. The general evaluation would
    // parse a list of tags.
    if (isGenerated && lastModified === null && exchange.header("if-none-match") === tag) {
      if (exchange.header("if-match") === undefined) return { result: "not-modified", tag };
    }
    const result = evaluatePreconditions(method, (name) => exchange.header(name), { tag, lastModified });
    return { result, tag: isGenerated ? tag : null };
  }
}

function valueOf(headers: readonly string[] | null, name: string): string | null {
  if (headers === null) return null;
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === name) return headers[index + 1]!;
  }
  return null;
}

/** Returns false if no cache may store the response, so that no client could use an entity tag. */
function isStorable(headers: readonly string[] | null): boolean {
  const directives = valueOf(headers, "cache-control")?.toLowerCase().split(",") ?? [];
  return !directives.some((directive) => directive.trim() === "no-store");
}
