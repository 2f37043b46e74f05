import type { ValidationFailure } from "@kit/types";

import { REDACTED } from "../codec/display-value.ts";

/** Paths of headers whose values are credentials. */
const credentials: ReadonlySet<string> = new Set(["$.authorization", '$["proxy-authorization"]']);

/**
 * Returns the failures of headers or cookies without the values of credentials: of every cookie, and of the header
 * `authorization`. Errors and the log then cannot contain a session or a token.
 */
export function hideValues(
  slot: "headers" | "cookies",
  failures: readonly ValidationFailure[],
): readonly ValidationFailure[] {
  return failures.map((failure) =>
    slot === "cookies" || credentials.has(failure.path) ? withoutValue(failure) : failure,
  );
}

function withoutValue(failure: ValidationFailure): ValidationFailure {
  const { path, expected, received, value, rule, limit, suggestion } = failure;
  // A missing value has nothing to hide, and a failure without a value describes no value.
  if (value === null || value === undefined) return failure;
  return {
    path,
    expected,
    received: received === "string of 0 characters" ? received : received.split(" ", 1)[0]!,
    value: REDACTED,
    rule,
    limit,
    suggestion: value === REDACTED ? suggestion : undefined,
  };
}
