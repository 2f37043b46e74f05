// Values that browsers know for the headers of the option `securityHeaders`. Browsers ignore a header with another value, so
// a misspelt value would protect nobody. The counterpart for the Rust server is
// `crates/kit-rust-server/src/security_header_values.rs`; both pass `values` of `conformance/security-headers.json`.

import type { SecurityHeadersOptions } from "./security-headers.ts";

/** Values that browsers know, for headers that allow only a few values. */
const choices: Readonly<Partial<Record<keyof SecurityHeadersOptions, readonly string[]>>> = {
  frameOptions: ["DENY", "SAMEORIGIN"],
  crossOriginResourcePolicy: ["same-origin", "same-site", "cross-origin"],
  crossOriginOpenerPolicy: [
    "same-origin",
    "same-origin-allow-popups",
    "noopener-allow-popups",
    "unsafe-none",
  ],
};

/** Values of the header `referrer-policy` that browsers know (W3C Referrer Policy, section 3). */
const referrerPolicies: readonly string[] = [
  "no-referrer",
  "no-referrer-when-downgrade",
  "origin",
  "origin-when-cross-origin",
  "same-origin",
  "strict-origin",
  "strict-origin-when-cross-origin",
  "unsafe-url",
];

/**
 * Returns a description of the values that browsers know for a header. Returns `undefined` if browsers know
 * the given value, or if kit does not check the values of the header (`contentSecurityPolicy`,
 * `permissionsPolicy`).
 */
export function describeKnownValues(option: keyof SecurityHeadersOptions, value: string): string | undefined {
  switch (option) {
    case "frameOptions":
      return knownBy(choices.frameOptions!, value.toUpperCase());
    case "crossOriginResourcePolicy":
      return knownBy(choices.crossOriginResourcePolicy!, value);
    // A parameter may follow: same-origin; report-to="coop"
    case "crossOriginOpenerPolicy":
      return knownBy(choices.crossOriginOpenerPolicy!, value.split(";")[0]!.trim());
    // Browsers use the last policy of the list that they know.
    case "referrerPolicy":
      return value
        .split(",")
        .map((policy) => knownBy(referrerPolicies, policy.trim().toLowerCase()))
        .find((problem) => problem !== undefined);
    case "strictTransportSecurity":
      return isTransportSecurity(value)
        ? undefined
        : "max-age=SECONDS, and after semicolons includeSubDomains and preload";
    default:
      return undefined;
  }
}

function knownBy(known: readonly string[], value: string): string | undefined {
  return known.includes(value) ? undefined : known.join(", ");
}

const maxAge = /^max-age *= *(?:\d+|"\d+")$/;

/**
 * Returns true for a valid value of `strict-transport-security`: it has `max-age`, no directive twice, and no
 * unknown directive (RFC 6797, section 6.1).
 */
function isTransportSecurity(value: string): boolean {
  const directives = value.split(";").map((directive) => directive.trim().toLowerCase());
  const others = directives.filter((directive) => !maxAge.test(directive));
  return (
    directives.length === others.length + 1 &&
    others.every((directive) => directive === "includesubdomains" || directive === "preload") &&
    new Set(others).size === others.length
  );
}
