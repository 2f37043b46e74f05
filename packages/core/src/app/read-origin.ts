import type { AllowedOrigin } from "../edge/allowed-origin.ts";

/**
 * Reads an origin of an option. `name` is the path of the option, such as `cors.origins[0]`.
 *
 * @throws {TypeError} If the value is not an origin. The message names the problem.
 */
export function readOrigin(given: unknown, name: string): AllowedOrigin {
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
export function isOrigin(text: string): boolean {
  try {
    return new URL(text).origin === text;
  } catch {
    return false;
  }
}

/** Returns the end of an error message: the origin that the developer probably meant. */
function correction(given: unknown): string {
  if (typeof given !== "string" || !/^https?:/i.test(given)) return "";
  try {
    const { origin } = new URL(given);
    return given.includes("*") ? "" : `; "${origin}" is one`;
  } catch {
    return "";
  }
}
