// Strings and numbers from which values are generated.

/** Strings for types without a rule. None of them is a number, a date or base64, so it is clear to which member of a union it belongs. */
export const PLAIN: readonly string[] = [
  "~",
  "two words",
  "é~",
  "😀😀 ",
  "line\nbreak",
  '"quoted" \\ and \u2028',
  "_proto_",
  "<b>&amp;</b>",
  "-",
  "`${x}`",
  "\u007f\u0080~",
];

/** Patterns, each with strings that match and one that does not match. */
export const PATTERNS: Readonly<
  Record<string, { readonly right: readonly string[]; readonly wrong: string }>
> = {
  "^[a-z]+(-[a-z]+)*$": { right: ["a", "slug-of-it", "z-z"], wrong: "Not-a-slug" },
  "^\\d{2,4}$": { right: ["12", "1234", "007"], wrong: "12345" },
  '[x/"]': { right: ["x", "a/b", '"'], wrong: "abc" },
  "^\\p{Lu}": { right: ["Éa", "Z"], wrong: "éa" },
};

/** Formats, each with valid and invalid strings. */
export const FORMATS: Readonly<
  Record<string, { readonly right: readonly string[]; readonly wrong: readonly string[] }>
> = {
  email: {
    right: ["name@example.com", "a.b+c@d.example"],
    wrong: ["name", "@example.com", "a b@example.com"],
  },
  uri: { right: ["https://example.com/a?b#c", "urn:isbn:1"], wrong: ["/relative", "http://a b"] },
  uuid: {
    right: ["123e4567-e89b-12d3-a456-426614174000"],
    wrong: ["123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400"],
  },
  date: { right: ["2024-02-29", "1999-12-31"], wrong: ["2023-02-29", "2024-2-1", "20240229"] },
  "date-time": { right: ["2026-01-31T12:00:00Z"], wrong: ["2026-01-31", "2026-02-30T12:00:00Z"] },
  ipv4: { right: ["192.0.2.1", "0.0.0.0"], wrong: ["256.0.0.1", "1.2.3", "01.2.3.4"] },
  ipv6: { right: ["2001:db8::1", "::"], wrong: ["1::2::3", ":::", "12345::"] },
};

/** Numbers for types without a rule. */
export const NUMBERS: readonly number[] = [
  0, 1, -1, 0.1, -2.5, 1e21, 5e-324, 1.7976931348623157e308, 9007199254740991,
];

/** Names of properties. Many of them could break generated code. */
export const NAMES: readonly string[] = [
  "a",
  "b",
  "id",
  "name",
  "value",
  "depth",
  "input",
  "text",
  "key",
  "item",
  "result",
  "index",
  "class",
  "default",
  "template",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "length",
  "own",
  "isObject",
  "Date",
  "undefined",
  "with space",
  "kebab-case",
  'qu"ote',
  "back\\slash",
  "new\nline",
  "${x}",
  "π",
  "0",
  "7",
  "",
  "$",
  "_",
];

/** Name of a property that no model declares. */
export const UNDECLARED = "undeclared key";
