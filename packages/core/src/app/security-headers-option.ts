import { describeKnownValues } from "../edge/security-header-values.ts";
import { securityHeaders, type SecurityHeadersOptions } from "../edge/security-headers.ts";
import { suggestName } from "./suggestion.ts";

/** Matches visible ASCII characters and spaces. A line break in a header would end the header (RFC 9112, 5). */
const visible = /^[\x20-\x7e]+$/;

/**
 * Reads the option `securityHeaders`. Returns a list of name, value, name, value; an empty list if the option is off.
 *
 * @throws {TypeError} If the option is invalid. The message names the problem.
 */
export function readSecurityHeaders(given: boolean | SecurityHeadersOptions | undefined): readonly string[] {
  if (given === undefined || given === false) return [];
  if (given !== true && (typeof given !== "object" || given === null || Array.isArray(given))) {
    throw new TypeError(
      'createApp: `securityHeaders` must be true, false or an object such as { frameOptions: "SAMEORIGIN" }',
    );
  }
  const options = given === true ? {} : given;
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(securityHeaders, name)) continue;
    throw new TypeError(`createApp: there is no option \`securityHeaders.${name}\`${suggestOption(name)}`);
  }
  return Object.entries(securityHeaders).flatMap(([option, { name, value }]) => {
    const own: unknown = options[option as keyof SecurityHeadersOptions];
    const sent = own === undefined ? value : checkValue(own, option as keyof SecurityHeadersOptions);
    return sent === null ? [] : [name, sent];
  });
}

/**
 * Returns a suggestion for an unknown name of an option. The name may be the name of a header, such as
 * `x-frame-options`.
 */
function suggestOption(name: string): string {
  const lower = name.toLowerCase();
  const [option] = Object.entries(securityHeaders).find(([, header]) => header.name === lower) ?? [];
  return option === undefined
    ? suggestName(name, Object.keys(securityHeaders))
    : `; did you mean \`${option}\`?`;
}

/** Returns the value of a header, or `null` if the header is left out. */
function checkValue(value: unknown, option: keyof SecurityHeadersOptions): string | null {
  if (value === false) return null;
  if (typeof value === "string" && visible.test(value) && value.trim() === value) {
    const known = describeKnownValues(option, value);
    if (known === undefined) return value;
    throw new TypeError(
      `createApp: \`securityHeaders.${option}\` is ${JSON.stringify(value)}, which browsers do not know; write a value that browsers know: ${known}`,
    );
  }
  const received = JSON.stringify(value) ?? typeof value;
  throw new TypeError(
    `createApp: \`securityHeaders.${option}\` is ${received}; it must be false, which leaves out the header, or the value of the header: visible ASCII characters, with spaces only between them`,
  );
}
