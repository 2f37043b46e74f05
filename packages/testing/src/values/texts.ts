import * as fc from "fast-check";

import { matching } from "./pattern.ts";
import { either, fits, FilteredArbitrary, NoValueError, type TextRules } from "./support.ts";
import { phrase, word } from "./words.ts";

/** Name of a string format, such as `email`. */
type Format = NonNullable<TextRules["format"]>;

/** Maximum length above the minimum for strings without a maximum length, in characters. */
const MORE = 40;

/** Maximum length of a domain name: 255 octets on the wire (RFC 1035) are 253 characters with dots. */
const LONGEST_DOMAIN = 253;
/** Maximum length of an email address: 64 characters, the `@` and the domain. */
const LONGEST_EMAIL = 64 + 1 + LONGEST_DOMAIN;

/** Maximum length of a label of a domain name (RFC 1035). */
const LONGEST_LABEL = 63;

const LETTERS = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz");

/**
 * Random character. Most characters are on a keyboard, and some are characters that programs often handle
 * incorrectly. U+0000 and lone surrogates are excluded, because strings in requests may not contain them.
 */
const CHARACTER: fc.Arbitrary<string> = either(
  [12, fc.integer({ min: 0x20, max: 0x7e }).map((point) => String.fromCodePoint(point))],
  [3, LETTERS],
  [2, fc.integer({ min: 0xa0, max: 0xd7ff }).map((point) => String.fromCodePoint(point))],
  [1, fc.integer({ min: 0x1f300, max: 0x1faff }).map((point) => String.fromCodePoint(point))],
  [1, fc.constantFrom("\t", "\n", "\r", "\u0001", "\u200b", "\u202e", "\ufeff", "\u0301")],
);

/** Matches URIs, with every optional component that a URI may have. */
const URI = new RegExp(
  "^[a-z][a-z0-9+.-]{0,5}:(?://(?:[a-z0-9]{1,4}@)?[a-z0-9]{1,8}(?:\\.[a-z]{2,4}){0,2}(?::[0-9]{1,4})?)?" +
    "(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}){1,6}){0,3}(?:\\?[a-z]{1,4}=[a-z0-9+/?]{0,4})?(?:#[a-z0-9?/]{0,5})?$",
  "u",
);

/**
 * Returns a function that creates an arbitrary at its first call, because the creation of some arbitraries takes tens of
 * milliseconds.
 */
function once<T>(make: () => fc.Arbitrary<T>): () => fc.Arbitrary<T> {
  let made: fc.Arbitrary<T> | undefined;
  return () => (made ??= make());
}

const anyEmail = once(() => fc.emailAddress({ size: "small" }));
const anyUri = once(() => matching(URI, {}, false));
const anyIpv6 = once(() => fc.ipV6());

/** Returns strings that satisfy the rules. */
export function texts(rules: TextRules): fc.Arbitrary<string> {
  return kept(rules, candidates(rules, false));
}

/**
 * Returns strings that satisfy the rules and that a person would write.
 *
 * @param hint - The name of the property, as in {@link phrase}.
 */
export function readableTexts(rules: TextRules, hint: string): fc.Arbitrary<string> {
  const usual = rules.format === undefined && rules.pattern === undefined;
  return kept(rules, usual ? phrases(rules, hint) : candidates(rules, true));
}

function kept(rules: TextRules, inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = Infinity } = rules;
  if (minLength > maxLength)
    throw new NoValueError(`found no string of ${minLength} to ${maxLength} characters`);
  const passes = (text: string): boolean => fits({ kind: "string", ...rules }, text, "wire");
  return new FilteredArbitrary(inner, passes, () => `string that satisfies ${inWords(rules)}`);
}

function inWords({ minLength, maxLength, format, pattern }: TextRules): string {
  const words = [
    minLength === undefined ? undefined : `minLength ${minLength}`,
    maxLength === undefined ? undefined : `maxLength ${maxLength}`,
    format === undefined ? undefined : `format ${format}`,
    pattern === undefined ? undefined : `the pattern /${pattern.source}/`,
  ];
  return words.filter((text) => text !== undefined).join(", ");
}

function candidates(rules: TextRules, readable: boolean): fc.Arbitrary<string> {
  const { format, pattern } = rules;
  if (format === undefined && pattern === undefined) return plain(rules);
  if (format === undefined) return matching(pattern as RegExp, rules, readable);
  const formatted = ofFormat(format, rules, readable);
  if (pattern === undefined) return formatted;
  return either([1, formatted], [1, matching(pattern, rules, readable)]);
}

function plain({ minLength = 0, maxLength = Infinity }: TextRules): fc.Arbitrary<string> {
  const most = Math.min(maxLength, minLength + MORE);
  const long = maxLength === Infinity ? minLength : maxLength;
  return either([14, ofLength(minLength, most)], [1, ofLength(minLength, minLength)], [1, filled(long)]);
}

function ofLength(minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: CHARACTER, minLength, maxLength, size: "max" });
}

/** Returns strings of exactly one length. Each string repeats one character, because the generation of long random strings is slow. */
function filled(length: number): fc.Arbitrary<string> {
  return CHARACTER.map((character) => character.repeat(length));
}

/** Returns phrases: words, separated by spaces, whose total length is within the bounds. */
function phrases({ minLength = 0, maxLength = Infinity }: TextRules, hint: string): fc.Arbitrary<string> {
  return fc.tuple(phrase(hint), fc.array(word(), { minLength: 8, maxLength: 8 })).map(([start, more]) => {
    let characters = [...start];
    const filler = ` ${more.join(" ")}`;
    while (characters.length < minLength) characters.push(...filler);
    if (characters.length > maxLength || characters.length > Math.max(minLength, start.length)) {
      characters = characters.slice(0, Math.min(maxLength, Math.max(minLength, start.length)));
    }
    // A web form may remove spaces at the ends of a text, so they are replaced by letters.
    const text = characters.join("");
    return text.replace(/^ | $/g, "a");
  });
}

function ofFormat(format: Format, rules: TextRules, readable: boolean): fc.Arbitrary<string> {
  switch (format) {
    case "email":
      return emails(rules, readable);
    case "uri":
      return uris(rules, readable);
    case "uuid":
      return fc.uuid(readable ? { version: 4 } : undefined);
    case "date":
      return moments(readable).map((date) => date.toISOString().slice(0, 10));
    case "date-time":
      return dateTimes(readable);
    case "ipv4":
      // RFC 5737 reserves 192.0.2.0/24 for documentation.
      return readable ? fc.integer({ min: 1, max: 254 }).map((host) => `192.0.2.${host}`) : fc.ipV4();
    case "ipv6":
      return readable
        ? fc.integer({ min: 1, max: 0xffff }).map((host) => `2001:db8::${host.toString(16)}`)
        : anyIpv6();
  }
}

/** Returns times that RFC 3339 can represent. Readable times are in the years 2024 to 2026. */
export function moments(readable: boolean): fc.Arbitrary<Date> {
  if (!readable) {
    const [min, max] = [new Date("0000-01-01T00:00:00.000Z"), new Date("9999-12-31T23:59:59.999Z")];
    const near = fc.date({
      min: new Date("1970-01-01T00:00:00Z"),
      max: new Date("2070-01-01T00:00:00Z"),
      noInvalidDate: true,
    });
    return either([3, near], [1, fc.date({ min, max, noInvalidDate: true })]);
  }
  const [first, last] = [Date.UTC(2024, 0, 1) / 1000, Date.UTC(2026, 11, 31) / 1000];
  return fc.integer({ min: first, max: last }).map((second) => new Date(second * 1000));
}

/** Returns times as strings. Readable times are in UTC, all other times have various offsets. */
export function dateTimes(readable: boolean): fc.Arbitrary<string> {
  const inUtc = moments(readable).map((date) => date.toISOString());
  if (readable) return inUtc;
  const elsewhere = fc
    .tuple(inUtc, fc.constantFrom("+00:00", "-00:00", "+05:45", "-11:30", "z"))
    .map(([text, offset]) => text.slice(0, -1) + offset);
  return either([4, inUtc], [1, elsewhere]);
}

function emails({ minLength = 0, maxLength = Infinity }: TextRules, readable: boolean): fc.Arbitrary<string> {
  const usual = fc
    .tuple(phrase("firstName"), phrase("lastName"), fc.integer({ min: 1, max: 9999 }))
    .map(([first, last, number]) => `${first}.${last}${number}@example.com`.toLowerCase());
  const short = fc
    .tuple(fc.string({ unit: LETTERS, minLength: 1, maxLength: 2 }), LETTERS)
    .map(([name, host]) => `${name}@${host}.io`);
  const shortest = LETTERS.map((letter) => `${letter}@b`);
  const fitting = either<string>(
    [readable ? 40 : 4, usual],
    [1, short],
    [maxLength < 6 ? 4 : 0, shortest],
    ...(readable ? [] : [[4, anyEmail()] as const]),
  );
  if (minLength <= 8) return fitting;
  return fitting.map((text) => paddedEmail(text, Math.min(minLength, LONGEST_EMAIL)));
}

/** Makes an email address longer, to at least the given length. */
function paddedEmail(text: string, length: number): string {
  if (text.length >= length) return text;
  const [name = "", host = ""] = text.split(/@(?=[^@]*$)/);
  let labels = "";
  for (let left = Math.min(length - text.length, LONGEST_DOMAIN - host.length); left > 1;) {
    const label = Math.min(left - 1, LONGEST_LABEL);
    labels += `${"a".repeat(label)}.`;
    left -= label + 1;
  }
  // Characters that do not fit into the domain are added before the `@`.
  return `${name.padEnd(length - 1 - labels.length - host.length, "a")}@${labels}${host}`;
}

function uris({ minLength = 0, maxLength = Infinity }: TextRules, readable: boolean): fc.Arbitrary<string> {
  const usual = fc
    .tuple(word(), word(), fc.integer({ min: 1, max: 999 }))
    .map(([first, second, number]) => `https://example.com/${first}/${second}-${number}`);
  const short = LETTERS.map((letter) => `a:${letter}`);
  const host = LETTERS.map((letter) => `http://${letter}.io`);
  const fitting = either<string>(
    [readable ? 40 : 4, usual],
    [maxLength < 48 ? 4 : 1, host],
    [maxLength < 16 ? 4 : 0, short],
    ...(readable ? [] : [[4, anyUri()] as const]),
  );
  const padded = (text: string): string => `${text}${"a".repeat(Math.max(0, minLength - text.length))}`;
  return minLength === 0 ? fitting : fitting.map(padded);
}
