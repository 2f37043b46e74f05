import type { EtagOptions, ReadEtag } from "../edge/conditional.ts";
import { suggestName } from "./suggestion.ts";

const known: Readonly<Record<keyof EtagOptions, true>> = { generate: true };

/**
 * Reads the option `etag`. Returns `null` if the option is off.
 *
 * @throws {TypeError} If the option is invalid. The message names the problem.
 */
export function readEtag(given: boolean | EtagOptions | undefined): ReadEtag | null {
  if (given === undefined || given === false) return null;
  if (given !== true && (typeof given !== "object" || given === null || Array.isArray(given))) {
    throw new TypeError("createApp: `etag` must be true, false or an object such as { generate: false }");
  }
  const { generate = true, ...others } = given === true ? {} : given;
  for (const name of Object.keys(others)) {
    throw new TypeError(
      `createApp: there is no option \`etag.${name}\`${suggestName(name, Object.keys(known))}`,
    );
  }
  if (typeof generate !== "boolean") {
    throw new TypeError("createApp: `etag.generate` must be true or false");
  }
  return { generate };
}
