import type { ReadRequestLog, RequestLogOptions } from "../request/request-log.ts";
import { normalTarget } from "../router/normal-path.ts";
import { suggestName } from "./suggestion.ts";

const known: Readonly<Record<keyof RequestLogOptions, true>> = {
  skipPaths: true,
  sampleRate: true,
  userAgent: true,
};

/**
 * Reads the option `requestLog`. Returns `null` if the option is off.
 *
 * @throws {TypeError} If the option is invalid. The message names the problem.
 */
export function readRequestLog(given: boolean | RequestLogOptions | undefined): ReadRequestLog | null {
  if (given === undefined || given === false) return null;
  if (given !== true && (typeof given !== "object" || given === null || Array.isArray(given))) {
    throw new TypeError(
      'createApp: `requestLog` must be true, false or an object such as { skipPaths: ["/ping"] }',
    );
  }
  const options = given === true ? {} : given;
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    throw new TypeError(
      `createApp: there is no option \`requestLog.${name}\`${suggestName(name, Object.keys(known))}`,
    );
  }
  const { skipPaths = [], sampleRate = 1, userAgent = false } = options;
  if (typeof sampleRate !== "number" || !(sampleRate >= 0 && sampleRate <= 1)) {
    throw new TypeError("createApp: `requestLog.sampleRate` must be a number from 0 to 1");
  }
  if (typeof userAgent !== "boolean") {
    throw new TypeError("createApp: `requestLog.userAgent` must be true or false");
  }
  return { skipPaths: readPaths(skipPaths), sampleRate, userAgent };
}

function readPaths(paths: unknown): ReadonlySet<string> {
  if (!Array.isArray(paths)) throw new TypeError("createApp: `requestLog.skipPaths` must be a list of paths");
  for (const path of paths as readonly unknown[]) {
    if (typeof path === "string" && /^\/[^?#]*$/.test(path)) continue;
    throw new TypeError(
      `createApp: \`requestLog.skipPaths\` has ${JSON.stringify(path)}; a path starts with a slash and has no query`,
    );
  }
  // `/notes/` is another spelling of `/notes`.
  return new Set((paths as readonly string[]).map((path) => normalTarget(path.replace(/(?<=.)\/$/, ""))));
}
