import { type CookieOptions, readAttributes, readEnd, refused } from "./cookie-options.ts";
import { encodeCookieValue, findCookie, isCookieName, mostCookieBytes } from "./cookie-text.ts";
import { decodeCookie } from "../codec/cookies.ts";
import { signValue, verifyValue } from "./signed-value.ts";
import { VerifiedValues } from "./verified-values.ts";

/** Cookie as a response sets it. */
export interface SetCookie {
  /** Name, path and domain of the cookie. A browser keeps one cookie for each combination of the three. */
  readonly id: string;
  /** Value of the header `set-cookie`. */
  readonly line: string;
}

/** Attributes that make browsers delete a cookie. */
const ended = "; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT";

/** Writes and verifies the cookies of an application. */
export class Cookies {
  readonly #keys: readonly string[];
  readonly #isSecureByDefault: boolean;
  readonly #verified = new VerifiedValues();

  /** Creates the writer. The first of the `keys` signs cookies, and all keys verify signatures. */
  constructor(keys: readonly string[], isSecureByDefault: boolean) {
    this.#keys = keys;
    this.#isSecureByDefault = isSecureByDefault;
  }

  /**
   * Returns a cookie for the response. With `null` as its value, browsers delete the cookie.
   *
   * @throws {TypeError} If the name, the value or an option is invalid, or if browsers would ignore the cookie.
   */
  write(name: string, value: string | null, options: CookieOptions): SetCookie {
    if (!isCookieName(name)) {
      throw refused(name, "the name may hold only letters, digits and !#$%&'*+-.^_`|~");
    }
    const { path, domain, text } = readAttributes(name, options, this.#isSecureByDefault);
    const id = `${name};${domain ?? ""};${path}`;
    if (value === null) return { id, line: `${name}=${ended}${text}` };
    const written = this.#textOf(name, value, options);
    if (name.length + written.length > mostCookieBytes) {
      throw refused(
        name,
        `name and value have ${name.length + written.length} bytes, and browsers ignore a cookie with more than ${mostCookieBytes}; store less in the cookie, such as an id`,
      );
    }
    return { id, line: `${name}=${written}${readEnd(name, options)}${text}` };
  }

  /**
   * Returns the value of a signed cookie. Returns `undefined` if the request has no cookie of this name, or if its
   * signature is wrong. `header` is the value of the header `cookie`.
   *
   * @throws {TypeError} If the application has no keys.
   */
  readSigned(name: string, header: string | undefined): string | undefined {
    const keys = this.#requireKeys("ctx.signedCookie");
    const text = header === undefined ? undefined : findCookie(header, name);
    const verified =
      text === undefined ? undefined : this.#verified.get(name, text, () => verifyValue(name, text, keys));
    return verified === undefined ? undefined : decodeCookie(verified);
  }

  #textOf(name: string, value: string, { signed = false }: CookieOptions): string {
    if (typeof value !== "string" || !value.isWellFormed()) {
      throw refused(name, "the value must be a string without unpaired surrogates, or null");
    }
    const text = encodeCookieValue(value);
    return signed ? signValue(name, text, this.#requireKeys("ctx.cookie with `signed`")[0]!) : text;
  }

  #requireKeys(member: string): readonly string[] {
    if (this.#keys.length > 0) return this.#keys;
    throw new TypeError(
      `${member} needs a key: set the option \`cookies: { keys: […] }\` of createApp, or the variable KIT_COOKIE_KEYS`,
    );
  }
}
