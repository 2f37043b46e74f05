/** Options of `ctx.cookie`. The defaults are the safe values. */
export interface CookieOptions {
  /** Seconds until the cookie expires. Default: the cookie ends with the browser's session. */
  readonly maxAge?: number;
  /** Time at which the cookie expires. If `maxAge` is set too, browsers use `maxAge`. */
  readonly expires?: Date;
  /** Path below which browsers send the cookie. Default `/`. */
  readonly path?: string;
  /** Domain whose hosts all receive the cookie. Default: only the host that sets the cookie. */
  readonly domain?: string;
  /** True if browsers send the cookie over HTTPS only. Default: true, but false if `env` is `development`. */
  readonly secure?: boolean;
  /** True if scripts of the page cannot read the cookie. Default true. */
  readonly httpOnly?: boolean;
  /**
   * Rule for requests that other sites start. `strict`: browsers never send the cookie with them. `lax`: only if the
   * user navigates to this site. `none`: always; `secure` is then true. Default `lax`.
   */
  readonly sameSite?: "strict" | "lax" | "none";
  /**
   * True if a page in a frame has a separate cookie for each site that embeds the page. If true, `secure` is true too.
   * Default false.
   */
  readonly partitioned?: boolean;
  /**
   * True to add a signature, so that `ctx.signedCookie` detects values that the application has not set. Requires the
   * option `cookies.keys` of `createApp`. The value stays readable for the client. Default false.
   */
  readonly signed?: boolean;
}

/** Known options. A misspelt name would silently leave a default in place. */
const known: Readonly<Record<keyof CookieOptions, true>> = {
  maxAge: true,
  expires: true,
  path: true,
  domain: true,
  secure: true,
  httpOnly: true,
  sameSite: true,
  partitioned: true,
  signed: true,
};

const sameSiteTexts: Readonly<Record<NonNullable<CookieOptions["sameSite"]>, string>> = {
  strict: "Strict",
  lax: "Lax",
  none: "None",
};

/** Maximum length of the value of an attribute. Browsers ignore longer values (RFC 6265bis, 5.6). */
const longestAttribute = 1024;

/** Attributes of a cookie as text, except for the attributes that say when it expires. */
export interface CookieAttributes {
  readonly path: string;
  readonly domain: string | undefined;
  /** Text of the attributes: `; Path=/; HttpOnly; SameSite=Lax`. */
  readonly text: string;
}

/**
 * Checks the options of a cookie and returns its attributes.
 *
 * @throws {TypeError} If an option is invalid, or if browsers would ignore the cookie because its options contradict
 *   each other, or contradict the prefix of the cookie's name.
 */
export function readAttributes(
  name: string,
  options: CookieOptions,
  isSecureByDefault: boolean,
): CookieAttributes {
  for (const option of Object.keys(options)) {
    if (!Object.hasOwn(known, option)) throw refused(name, `there is no option \`${option}\``);
  }
  const { path = "/", domain, httpOnly = true, sameSite = "lax", partitioned = false } = options;
  if (!path.startsWith("/") || !isAttribute(path)) {
    throw refused(name, "`path` must begin with a slash, and may hold only printable ASCII without `;`");
  }
  if (domain !== undefined && !(/^[A-Za-z0-9.-]+$/.test(domain) && isAttribute(domain))) {
    throw refused(name, "`domain` must be a host name such as example.com");
  }
  if (!Object.hasOwn(sameSiteTexts, sameSite)) {
    throw refused(name, "`sameSite` must be strict, lax or none");
  }
  const isSecure = readSecure(name, options, isSecureByDefault);
  const text = [
    `; Path=${path}`,
    domain === undefined ? "" : `; Domain=${domain}`,
    isSecure ? "; Secure" : "",
    httpOnly ? "; HttpOnly" : "",
    `; SameSite=${sameSiteTexts[sameSite]}`,
    partitioned ? "; Partitioned" : "",
  ].join("");
  return { path, domain, text };
}

/**
 * Returns true if the cookie must have the attribute `Secure`, because of the option `secure`, the prefix of
 * its name, or another attribute such as `SameSite=None`.
 */
function readSecure(name: string, options: CookieOptions, isSecureByDefault: boolean): boolean {
  const { secure, path = "/", domain, sameSite, partitioned } = options;
  // Browsers compare the prefixes in any case (RFC 6265bis, 5.4).
  const lower = name.toLowerCase();
  const isOfHost = lower.startsWith("__host-");
  if (isOfHost && (domain !== undefined || path !== "/")) {
    throw refused(
      name,
      "browsers ignore a cookie with the prefix __Host- that has a domain or another path than /",
    );
  }
  const reason =
    isOfHost || lower.startsWith("__secure-")
      ? `the prefix ${name.slice(0, name.indexOf("-") + 1)}`
      : sameSite === "none"
        ? "`sameSite: none`"
        : partitioned === true
          ? "`partitioned`"
          : undefined;
  if (reason === undefined) return secure ?? isSecureByDefault;
  if (secure === false) throw refused(name, `browsers ignore a cookie with ${reason} that is not secure`);
  return true;
}

/**
 * Returns the attributes that say when a cookie expires: `; Max-Age=60`.
 *
 * @throws {TypeError} If an option is invalid.
 */
export function readEnd(name: string, { maxAge, expires }: CookieOptions): string {
  if (maxAge !== undefined && (!Number.isSafeInteger(maxAge) || maxAge < 0)) {
    throw refused(name, "`maxAge` must be a whole number of seconds");
  }
  if (expires !== undefined && !(expires instanceof Date && !Number.isNaN(expires.getTime()))) {
    throw refused(name, "`expires` must be a valid Date");
  }
  return (
    (maxAge === undefined ? "" : `; Max-Age=${maxAge}`) +
    (expires === undefined ? "" : `; Expires=${expires.toUTCString()}`)
  );
}

/** Creates the error for a cookie that cannot be set. */
export function refused(name: string, problem: string): TypeError {
  return new TypeError(`ctx.cookie: the cookie ${JSON.stringify(name)} cannot be set: ${problem}`);
}

function isAttribute(text: string): boolean {
  return text.length <= longestAttribute && /^[\x20-\x3a\x3c-\x7e]*$/.test(text);
}
