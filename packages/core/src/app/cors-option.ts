import type { CorsOptions, ReadCors } from "../edge/cors.ts";
import { readOrigin } from "./read-origin.ts";
import { suggestName } from "./suggestion.ts";

const known: Readonly<Record<keyof CorsOptions, true>> = {
  origins: true,
  credentials: true,
  allowedHeaders: true,
  exposedHeaders: true,
  maxAgeSeconds: true,
};

const defaultMaxAgeSeconds = 600;
/**
 * Longest value of `maxAgeSeconds`: one day. Firefox caches the response to a preflight request for up to a
 * day, and all other browsers for a shorter time.
 */
const longestMaxAgeSeconds = 86_400;

/**
 * Matches a name of a header (RFC 9110, 5.6.2). Excludes `*`, which is a valid name but means "all" in CORS
 * headers.
 */
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
  return origins.map((origin: unknown, index) => readOrigin(origin, `cors.origins[${index}]`));
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
