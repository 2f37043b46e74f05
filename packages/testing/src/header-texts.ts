/** Text of headers and cookies: what a request sends for the values of a test. */

/** Value of one item of a header, or of a cookie. A `Date` is sent as an RFC 3339 text in UTC. */
export type TextValue = string | number | bigint | boolean | Date;

/** Value of a header. The items of a list are joined by commas. */
export type HeaderValue = TextValue | readonly TextValue[];

/** Header values by header name. Names are case-insensitive. */
export type HeaderValues = Readonly<Record<string, HeaderValue>>;

/** Headers, or a function that returns them and is called for each request, for example to sign a token. */
export type TestHeaders = HeaderValues | (() => HeaderValues | Promise<HeaderValues>);

/** Cookie values by name. A value is percent-encoded. A cookie that is `undefined` is not sent. */
export type CookieValues = Readonly<Record<string, TextValue | undefined>>;

/** Texts of headers by lower-case name. */
export type HeaderTexts = Readonly<Record<string, string>>;

/**
 * Returns the texts of headers by lower-case name. If the argument is a function, it is called to get the headers.
 *
 * @throws {TypeError} If a value has no text: `fetch` would send `undefined` as the word "undefined".
 */
export async function resolveHeaders(headers: TestHeaders = {}): Promise<HeaderTexts> {
  const made: unknown = typeof headers === "function" ? await headers() : headers;
  if (typeof made !== "object" || made === null) {
    throw new TypeError(`The function \`headers\` returned ${String(made)}, but must return an object`);
  }
  const entries = Object.entries(made).map(([name, value]: [string, unknown]) => {
    const texts = (Array.isArray(value) ? (value as unknown[]) : [value]).map((item) =>
      textOf("header", name, item),
    );
    return [name.toLowerCase(), texts.join(", ")] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Returns headers with cookies added to the header `cookie`. A cookie replaces a cookie with the same name.
 */
export function withCookies(headers: HeaderTexts, cookies: CookieValues = {}): HeaderTexts {
  const given = Object.entries(cookies).filter(([, value]) => value !== undefined);
  if (given.length === 0) return headers;
  const names = new Set(given.map(([name]) => name));
  const others = (headers["cookie"] ?? "")
    .split(/; ?/)
    .filter((pair) => pair !== "" && !names.has(pair.split("=")[0] ?? ""));
  const own = given.map(([name, value]) => `${name}=${encodeURIComponent(textOf("cookie", name, value))}`);
  return { ...headers, cookie: [...others, ...own].join("; ") };
}

function textOf(kind: string, name: string, value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (["string", "number", "bigint", "boolean"].includes(typeof value)) return String(value);
  throw new TypeError(
    `The ${kind} \`${name}\` of a test is ${String(value)}, but must be a string, a number, a boolean, a bigint or a Date${kind === "header" ? ", or a list of these" : ""}`,
  );
}
