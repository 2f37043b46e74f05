import type { ReadCors } from "../edge/cors.ts";
import type { CsrfOptions, CsrfTokenOptions, ReadCsrf } from "../edge/csrf.ts";
import { readOrigin } from "./read-origin.ts";
import { suggestName } from "./suggestion.ts";

const known: Readonly<Record<keyof CsrfOptions, true>> = { origins: true, token: true };
const knownInToken: Readonly<Record<keyof CsrfTokenOptions, true>> = { cookie: true, header: true };

/** Matches a token (RFC 9110, 5.6.2), the form of names of cookies and headers. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Reads the option `csrf`. Returns `null` if the option is off. Adds the origins that the option `cors`
 * lists.
 *
 * @throws {TypeError} If the option is invalid. The message names the problem.
 */
export function readCsrf(given: boolean | CsrfOptions | undefined, cors: ReadCors | null): ReadCsrf | null {
  if (given === undefined || given === false) return null;
  if (given !== true && (typeof given !== "object" || given === null || Array.isArray(given))) {
    throw new TypeError(
      'createApp: `csrf` must be true, false or an object such as { origins: ["https://app.example.com"] }',
    );
  }
  const options = given === true ? {} : given;
  requireKnown(options, known, "csrf");
  const { origins = [], token: names } = options;
  if (!Array.isArray(origins)) {
    throw new TypeError(
      'createApp: `csrf.origins` must be a list of origins such as "https://app.example.com"',
    );
  }
  const own = (origins as readonly unknown[]).map((origin, index) =>
    readOrigin(origin, `csrf.origins[${index}]`),
  );
  const listed = cors === null || cors.origins === "*" ? [] : cors.origins;
  return { origins: [...own, ...listed], token: names === undefined ? null : readToken(names) };
}

function readToken(names: unknown): CsrfTokenOptions {
  if (typeof names !== "object" || names === null || Array.isArray(names)) {
    throw new TypeError(
      'createApp: `csrf.token` must be an object such as { cookie: "__Host-csrf", header: "x-csrf-token" }',
    );
  }
  requireKnown(names, knownInToken, "csrf.token");
  const { cookie, header } = names as Partial<CsrfTokenOptions>;
  for (const [name, value] of Object.entries({ cookie, header })) {
    if (typeof value === "string" && token.test(value)) continue;
    throw new TypeError(
      `createApp: \`csrf.token.${name}\` must be the name of a ${name}, without spaces and separators`,
    );
  }
  return { cookie: cookie!, header: header!.toLowerCase() };
}

function requireKnown(value: object, names: Readonly<Record<string, true>>, where: string): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(names, name)) continue;
    throw new TypeError(
      `createApp: there is no option \`${where}.${name}\`${suggestName(name, Object.keys(names))}`,
    );
  }
}
