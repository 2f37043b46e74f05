import type { AllowedOrigin, CorsOptions, ReadCors } from "../edge/cors.ts";
import { suggestName } from "./suggestion.ts";

const known: Readonly<Record<keyof CorsOptions, true>> = {
  origins: true,
  credentials: true,
  allowedHeaders: true,
  exposedHeaders: true,
  maxAgeSeconds: true,
};

const defaultMaxAgeSeconds = 600;
/** One day. Firefox, the most generous browser, uses no longer time. */
const longestMaxAgeSeconds = 86_400;

/** Matches a name of a header (RFC 9110, 5.6.2). `*` is a valid name too, but has another meaning in CORS headers. */
const headerName = /^[!#$%&'+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Reads the option `cors`. Returns `null` if it is absent.
 *
 * @throws {TypeError} If the option is invalid. The message names the problem.
 */
export function readCors(options: CorsOptions | undefined): ReadCors | null {
  if (options === undefined) return null;
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(
      'createApp: `cors` must be an object such as { origins: ["https://app.example.com"] }',
    );
  }
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    throw new TypeError(
      `createApp: there is no option \`cors.${name}\`${suggestName(name, Object.keys(known))}`,
    );
  }
  const { credentials = false, maxAgeSeconds = defaultMaxAgeSeconds } = options;
  if (typeof credentials !== "boolean") {
    throw new TypeError("createApp: `cors.credentials` must be true or false");
  }
  if (!Number.isInteger(maxAgeSeconds) || maxAgeSeconds < 0 || maxAgeSeconds > longestMaxAgeSeconds) {
    throw new TypeError(
      `createApp: \`cors.maxAgeSeconds\` must be a whole number of seconds from 0 to ${longestMaxAgeSeconds}`,
    );
  }
  return {
    origins: readOrigins(options.origins, credentials),
    credentials,
    allowedHeaders:
      options.allowedHeaders === undefined ? null : headerList(options.allowedHeaders, "allowedHeaders"),
    exposedHeaders: headerList(options.exposedHeaders ?? [], "exposedHeaders") || null,
    maxAgeSeconds,
  };
}

function readOrigins(origins: unknown, credentials: boolean): ReadCors["origins"] {
  if (origins === "*") {
    if (!credentials) return "*";
    throw new TypeError(
      'createApp: `cors.credentials` cannot be combined with `cors.origins: "*"`, because every web page could then act as the user; list the origins',
    );
  }
  if (!Array.isArray(origins) || origins.length === 0) {
    throw new TypeError(
      'createApp: `cors.origins` must be "*" or a list of origins such as "https://app.example.com"',
    );
  }
  return origins.map(readOrigin);
}

function readOrigin(given: unknown, index: number): AllowedOrigin {
  const name = `cors.origins[${index}]`;
  if (given === "*")
    throw new TypeError(`createApp: \`${name}\` is "*"; to allow every origin, write \`origins: "*"\``);
  if (given === "null") {
    throw new TypeError(
      `createApp: \`${name}\` is "null", the origin of sandboxed frames, which any web page can create; it cannot be allowed`,
    );
  }
  if (typeof given === "string") {
    const wildcard = /^(https?:\/\/)\*(\.[^*]+)$/.exec(given);
    const [, scheme = "", suffix = ""] = wildcard ?? [];
    if (wildcard !== null && isOrigin(`${scheme}a${suffix}`)) return { kind: "subdomains", scheme, suffix };
    if (!given.includes("*") && isOrigin(given)) return { kind: "exact", origin: given };
  }
  throw new TypeError(
    `createApp: \`${name}\` is ${JSON.stringify(given)}, which is not an origin${correction(given)}. An origin is a scheme, a host in lower case and a port if it is not the default, such as "https://app.example.com", "https://*.example.com" or "http://localhost:5173"`,
  );
}

/** Returns true for an origin as browsers send it: without a path, in lower case, without a default port. */
function isOrigin(text: string): boolean {
  try {
    return new URL(text).origin === text;
  } catch {
    return false;
  }
}

/** Returns the origin that was probably meant, as a part of a message. */
function correction(given: unknown): string {
  if (typeof given !== "string" || !/^https?:/i.test(given)) return "";
  try {
    const { origin } = new URL(given);
    return given.includes("*") ? "" : `; "${origin}" is one`;
  } catch {
    return "";
  }
}

function headerList(names: unknown, option: string): string {
  if (!Array.isArray(names))
    throw new TypeError(`createApp: \`cors.${option}\` must be a list of header names`);
  for (const name of names as readonly unknown[]) {
    if (typeof name === "string" && headerName.test(name)) continue;
    throw new TypeError(
      `createApp: \`cors.${option}\` has ${JSON.stringify(name)}, which is not a header name`,
    );
  }
  return (names as readonly string[]).map((name) => name.toLowerCase()).join(", ");
}
