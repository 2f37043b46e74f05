import type { CompiledRoute } from "@kit/types";

import { queryKeys } from "../codec/query.ts";
import { closest } from "../codec/closest.ts";
import type { Logger } from "../logging/log-entry.ts";

/** Maximum number of warnings per process, because clients choose the keys. */
const mostWarnings = 100;
/** Maximum length of a key in a warning. Longer keys are cut. */
const longestKey = 100;
/** Maximum number of declared keys in a warning. */
const mostDeclared = 20;

/**
 * Warns about parts of a request that its contract does not declare: misspelt keys of the query, `tag[]=`, a body. Each
 * combination of route and key is reported once. Used only in development. `crates/kit-runtime/src/http/ignored.rs` has
 * the same messages.
 */
export class IgnoredInput {
  readonly #warned = new Set<string>();

  /** Checks the query of a request, given without its `?`. */
  query({ ref, query }: Pick<CompiledRoute, "ref" | "query">, text: string, log: Logger): void {
    for (const key of queryKeys(text)) {
      if (this.#warned.size > mostWarnings) return;
      if (query?.keys?.includes(key) === true || isRead(query, key)) continue;
      const shown = JSON.stringify(key.slice(0, longestKey));
      const message = `${ref}: the query key ${shown} is ignored, because the contract does not declare this key; ${advice(key, query)}`;
      this.#warn(`${ref} ${key}`, message, log);
    }
  }

  /** Reports a body that the contract does not declare. */
  body({ ref }: Pick<CompiledRoute, "ref">, log: Logger): void {
    if (this.#warned.size > mostWarnings) return;
    this.#warn(ref, `${ref}: the body of the request is ignored, because the contract has no body`, log);
  }

  #warn(id: string, message: string, log: Logger): void {
    if (this.#warned.has(id)) return;
    this.#warned.add(id);
    const isLast = this.#warned.size > mostWarnings;
    log.warn(
      isLast ? "More than 100 query keys and bodies were ignored. The log lists only the first 100" : message,
    );
  }
}

/** Returns true if the type accepts the key through an index signature. */
function isRead(query: CompiledRoute["query"], key: string): boolean {
  if (query === null) return false;
  const value = query.query(`${encodeURIComponent(key)}=`);
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}

function advice(key: string, query: CompiledRoute["query"]): string {
  if (query === null) return "the contract has no query";
  const declared = query.keys ?? [];
  const list = /^(.*)\[\d*\]$/s.exec(key)?.[1];
  if (list !== undefined && declared.includes(list)) return `write a list as ${list}=a&${list}=b`;
  const near = closest(list ?? key, declared);
  if (near !== undefined) return `did you mean ${JSON.stringify(near)}?`;
  if (declared.length === 0) return "the contract accepts only keys of another form";
  const more = declared.length > mostDeclared ? ", …" : "";
  return `the contract declares ${declared.slice(0, mostDeclared).join(", ")}${more}`;
}
