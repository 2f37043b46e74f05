import type { Auth } from "@kit/types";

/** A scope (RFC 6749, section 3.3): printable ASCII without blanks, quotes and backslashes. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/**
 * Returns the set of the scopes that a middleware knows.
 *
 * @param place - Name of the option, for the message of the error.
 * @throws {TypeError} If a name is not a scope of OAuth 2.0.
 */
export function vocabularyOf<TScope extends string>(
  place: string,
  scopes: readonly TScope[] | undefined,
): ReadonlySet<TScope> {
  for (const scope of scopes ?? []) {
    if (typeof scope === "string" && scopeToken.test(scope)) continue;
    throw new TypeError(
      `${place} must have names of 1 to 200 printable ASCII characters without blanks, quotes and backslashes, not ${JSON.stringify(scope)}`,
    );
  }
  return new Set(scopes);
}

/** Scopes of a caller, limited to those that the middleware knows. */
export class GrantedScopes<TScope extends string> implements Auth<TScope> {
  /** Scopes of the caller, in the order in which they were granted. */
  readonly scopes: readonly TScope[];
  readonly has: (scope: TScope) => boolean;

  constructor(granted: Iterable<string>, vocabulary: ReadonlySet<TScope>) {
    if (vocabulary.size === 0) {
      this.scopes = [];
      this.has = hasNone;
      return;
    }
    const known = new Set<TScope>();
    for (const scope of granted) if (isKnown(scope, vocabulary)) known.add(scope);
    this.scopes = [...known];
    this.has = (scope) => known.has(scope);
  }
}

/** Used if the middleware knows no scopes, because a set and a function for each request would cost more. */
function hasNone(): boolean {
  return false;
}

function isKnown<TScope extends string>(scope: string, vocabulary: ReadonlySet<TScope>): scope is TScope {
  return vocabulary.has(scope as TScope);
}
