import { keysInVariable, requireKeys } from "../cookies/signing-keys.ts";
import { suggestName } from "./suggestion.ts";

/** Options for the cookies that handlers and middleware set. */
export interface CookieKeyOptions {
  /**
   * Keys for signed cookies, each with at least 32 characters (`openssl rand -base64 32`). The first key signs, and all
   * keys verify. To replace a key, add the new key at the front. Remove the old key when all cookies with its signature
   * have expired. Default: the keys in the environment variable `KIT_COOKIE_KEYS`, separated by commas.
   */
  readonly keys?: readonly string[];
}

/** Environment variable with the default keys. */
const variable = "KIT_COOKIE_KEYS";

/**
 * Reads the option `cookies`, and returns the keys for signed cookies. The list is empty if no keys are set.
 *
 * @throws {TypeError} If the option or the environment variable is invalid. The message never contains a key.
 */
export function readCookieKeys(
  option: CookieKeyOptions | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly string[] {
  const { keys } = requireOption(option === undefined ? {} : option);
  if (keys === undefined) return keysInVariable(variable, env);
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new TypeError("createApp: `cookies.keys` must be a list with at least one key");
  }
  return requireKeys(keys, "createApp: `cookies.keys`");
}

function requireOption(option: CookieKeyOptions): CookieKeyOptions {
  if (typeof option !== "object" || option === null) {
    throw new TypeError("createApp: `cookies` must be an object");
  }
  for (const name of Object.keys(option)) {
    if (name === "keys") continue;
    throw new TypeError(`createApp: there is no option \`cookies.${name}\`${suggestName(name, ["keys"])}`);
  }
  return option;
}
