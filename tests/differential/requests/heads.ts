import type { Random } from "../support/random.ts";
import { PLACEHOLDER, placeholder } from "../support/request.ts";

/** Values of the header `authorization`: valid, invalid, and almost valid. */
const AUTHORIZATIONS: readonly (string | undefined)[] = [
  undefined,
  "",
  "Bearer",
  "Bearer ",
  "Bearer  ada:user",
  "Bearer :user",
  "Bearer :",
  "Bearer ada",
  "Bearer ada:",
  "Bearer ada:admin",
  "Bearer ada:admin:more",
  "Bearer ada:Admin",
  "bearer ada:user",
  "BEARER ada:user",
  "Basic YWRhOmFkYQ==",
  "Bearer\tada:user",
  `Bearer ${"a".repeat(100)}:user`,
  `Bearer ${"a".repeat(101)}:user`,
  "Bearer \u00e9\u00ff:user",
  `Bearer ${"\u00e9".repeat(100)}:user`,
  "Bearer \u00c3\u00a9:user",
  "Bearer a,b:user",
  'Bearer a"b\\c:user',
];

const CONTENT_TYPES: readonly (string | undefined)[] = [
  undefined,
  "",
  "application/json",
  "Application/JSON",
  "application/json;charset=utf-8",
  "application/json; charset=UTF-8",
  'application/json; charset="utf-8"',
  "application/json; charset=utf8",
  "application/json; charset=latin1",
  "application/json; charset=",
  "application/json; charset",
  "application/json; charset=utf-8; charset=latin1",
  "application/json; CHARSET = utf-8",
  "application/json; charset=utf-8=x",
  "application/json; charset=utf-16",
  "application/json;",
  "application/json ; x=y",
  "application/json, text/plain",
  "application/json,application/json",
  "application/problem+json",
  "application/+json",
  "application/a b+json",
  "application/vnd.api+json; version=1",
  "application/jsonp",
  "application/json+xml",
  "application/x-json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "text/json",
  "text/plain",
  "*/*",
  "json",
  "application/",
  "application/json\t",
  "application/\u00e4+json",
  "application/json; charset=\u00fc",
  "application/json\u00a0",
  "application/json\u0085",
  "\u00a0application/json;\u00a0charset=utf-8",
];

const TRACE = "0af7651916cd43dd8448eb211c80319c";

/** Headers that have no effect, or that only one of the servers might interpret. */
const MORE: readonly (readonly [name: string, value: string])[] = [
  ["traceparent", `00-${TRACE}-b7ad6b7169203331-01`],
  ["traceparent", `00-${TRACE}-b7ad6b7169203331-01-more`],
  ["traceparent", `01-${TRACE}-b7ad6b7169203331-01-more`],
  ["traceparent", `cc-${TRACE}-b7ad6b7169203331-01`],
  ["traceparent", `ff-${TRACE}-b7ad6b7169203331-01`],
  ["traceparent", `00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`],
  ["traceparent", `00-${"0".repeat(32)}-b7ad6b7169203331-01`],
  ["traceparent", "00"],
  ["TraceParent", ` 00-${TRACE}-b7ad6b7169203331-00 `],
  ["tracestate", "a=b"],
  ["if-none-match", "*"],
  ["if-none-match", '"a", W/"b"'],
  ["if-match", '"a"'],
  ["if-modified-since", "Sat, 21 Nov 2026 00:00:00 GMT"],
  ["if-unmodified-since", "yesterday"],
  ["range", "bytes=0-1"],
  ["accept", "text/html"],
  ["accept", "application/xml;q=0.1, */*;q=0"],
  ["accept-encoding", "gzip, br, *;q=0"],
  ["accept-language", "de"],
  ["accept-charset", "utf-16"],
  ["content-encoding", "gzip"],
  ["content-encoding", "identity"],
  ["content-encoding", "Identity "],
  ["content-encoding", ""],
  ["content-encoding", "br, gzip"],
  ["content-encoding", "identity\u00a0"],
  ["content-encoding", "identity\u0085"],
  ["content-language", "de"],
  ["content-md5", "x"],
  ["origin", "http://example.com"],
  ["access-control-request-method", "POST"],
  ["x-http-method-override", "DELETE"],
  ["x-forwarded-for", "1.2.3.4"],
  ["forwarded", "for=1.2.3.4;proto=https;host=example.com"],
  ["x-forwarded-proto", "https"],
  ["cookie", "a=b; c=d"],
  ["expect", "100-continue"],
  ["expect", "100-Continue"],
  ["expect", "200-ok"],
  ["expect", ""],
  ["connection", "close"],
  ["connection", "Close"],
  ["connection", "keep-alive"],
  ["connection", "upgrade"],
  ["connection", "keep-alive, close"],
  ["connection", "x-own"],
  ["connection", ""],
  ["keep-alive", "timeout=1"],
  ["upgrade", "websocket"],
  ["upgrade", "h2c"],
  ["te", "trailers"],
  ["trailer", "x-own"],
  ["via", "1.1 a"],
  ["max-forwards", "0"],
  ["date", "nonsense"],
  ["user-agent", "\u00e9"],
  ["x-own", ""],
  ["x-own", "a\tb"],
  ["X-OWN", "x".repeat(4000)],
  ["x-own", "\u0080\u00ff"],
  ["cache-control", "no-store"],
  ["pragma", "no-cache"],
  ["host", "again"],
  ["content-type", "application/json"],
  ["authorization", "Bearer eve:admin"],
];

const HOSTS = [
  "127.0.0.1",
  "localhost:3000",
  "EXAMPLE.com",
  "[::1]:80",
  "",
  "a b",
  "a/b",
  "user@a",
  "\u00e4",
  "a:b:c",
  "a,b",
];

const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "PURGE",
  "QUERY",
  "get",
  "Post",
  "M-SEARCH",
  "A",
  "PROPFIND",
  "LINK",
  "x!#$%&'*+-.^_`|~9",
];

export function authorization(random: Random): string | undefined {
  return random.pick(AUTHORIZATIONS);
}

export function contentType(random: Random): string | undefined {
  return random.pick(CONTENT_TYPES);
}

export function moreHeaders(random: Random): readonly (readonly [name: string, value: string])[] {
  return Array.from({ length: random.weighed([6, 1], [2, 2], [1, 6]) }, () => random.pick(MORE));
}

export function host(random: Random): string {
  return random.pick(HOSTS);
}

export function method(random: Random): string {
  return random.pick(METHODS);
}

/** Returns a header name in random case: `Content-Type`, `CONTENT-TYPE` or `cOnTeNt-TyPe`. */
export function inAnyCase(name: string, random: Random): string {
  return random.pick([
    (text: string) => text,
    (text: string) => text.toUpperCase(),
    (text: string) => text.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    (text: string) => text.replaceAll(/./g, (letter) => (random.chance(0.5) ? letter.toUpperCase() : letter)),
  ])(name);
}

/** Returns the id of a note that exists, has been deleted, will be created later, or never exists. */
export function id(random: Random, made: number): string {
  const known = placeholder(random.int(0, made));
  return random.weighed<() => string>(
    [20, () => known],
    [2, () => known.replace(PLACEHOLDER, (whole) => whole.toUpperCase())],
    [1, () => known.slice(0, -1)],
    [1, () => `${known}0`],
    [1, () => `{${known}}`],
    [1, () => known.replaceAll("-", "")],
    [1, () => `urn:uuid:${known}`],
    [1, () => `%20${known}`],
    [1, () => known.replace("-", "%2D")],
    [1, () => known.replace("-", "%2d")],
    [
      4,
      () =>
        random.pick([
          "00000000-0000-0000-0000-000000000000",
          "ffffffff-ffff-ffff-ffff-ffffffffffff",
          "FFFFFFFF-ffff-1fff-cfff-FFFFFFFFFFFF",
          "1",
          "a",
          "null",
          "%00",
          "a%00b",
          "%",
          "%2",
          "%zz",
          "%C3%A9",
          "%c3%a9",
          "%E2%82",
          "%ff",
          "%ED%A0%80",
          "%F0%9F%98%80",
          "%2F",
          "a%2fb",
          "%2e%2e",
          "..",
          ".",
          "%20",
          "+",
          "a+b",
          ";",
          "a;b=c",
          "a,b",
          "~!$&'()*,=:@",
          "%7B%7D",
          "%22%3C%3E",
          "%25",
          "%2500",
          "x".repeat(300),
          "%41".repeat(300),
        ]),
    ],
  )();
}

/** Returns a path that no contract has, that is unusual, or that is spelled in another way. */
export function path(random: Random, made: number): string {
  const note = id(random, made);
  return random.pick([
    "/",
    "//",
    "/notes",
    "/notes/",
    "/notes//",
    "//notes",
    "/notes/./",
    "/notes/../notes",
    "/./notes",
    "/Notes",
    "/NOTES",
    "/note",
    "/notess",
    "/n%6ftes",
    "/n%6Ftes/",
    "/notes%2F",
    "/notes%20",
    "/%2Fnotes",
    "/notes;a=b",
    "/notes,",
    "/notes%00",
    "/notes%",
    "/%E0%A4%A",
    `/notes/${note}`,
    `/notes/${note}/`,
    `/notes/${note}//`,
    `/notes//${note}`,
    `//notes/${note}`,
    `/notes/${note}/more`,
    `/notes/${note}/%`,
    "/healthz",
    "/healthz/",
    "/healthz//",
    "/health%7A",
    "/HEALTHZ",
    "/healthz/x",
    "/readyz",
    "/readyz/",
    "/openapi.json",
    "/openapi.json/",
    "/openapi.yaml",
    "/docs",
    "/docs/",
    "/favicon.ico",
    "/_debug",
    "/metrics",
    `/${"a".repeat(random.pick([100, 8000, 8170, 8191, 8192, 9000]))}`,
    `/${"a/".repeat(random.pick([10, 1000, 4000]))}`,
    `/notes/${"%61".repeat(random.pick([10, 1000, 2720]))}`,
  ]);
}

const QUERY_VALUES = [
  "1",
  "2",
  "3",
  "20",
  "100",
  "101",
  "0",
  "-1",
  "-0",
  "+1",
  "01",
  "1.0",
  "1.5",
  "1e0",
  "1e1",
  "1E+1",
  "10e-1",
  "1e400",
  "1e-400",
  "9007199254740991",
  "9007199254740992",
  "99999999999999999999",
  "0x1",
  "1_0",
  "",
  "%31",
  "%2B1",
  "1%00",
  "%00",
  "NaN",
  "Infinity",
  "true",
  "null",
  "a",
  "%C3%A9",
  "%c3",
  "%",
  "%zz",
  "%2",
  "1%20",
  "+",
  "%D9%A1",
  "%EF%BC%91",
  "1,2",
  "1;2",
  "[1]",
  "1=2",
  "1%262",
  "?",
  "/",
  "'",
  "x".repeat(300),
];

/** Returns a string for a path parameter, which may also be a number or a boolean. */
export function parameter(random: Random): string {
  return random.pick(QUERY_VALUES).replaceAll(/[?/']/g, "%3F") || "%20";
}

/** Returns a query with some of these keys, in forms that no client of the contract would send. */
export function query(random: Random, keys: readonly string[]): string {
  const key = (): string =>
    random.weighed<() => string>(
      [12, () => random.pick(keys)],
      [1, () => random.pick(keys).toUpperCase()],
      [1, () => random.pick(keys).replace(/./, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
      [1, () => `${random.pick(keys)}[]`],
      [1, () => `${random.pick(keys)}%`],
      [2, () => random.pick(["", "a", "__proto__", "constructor", "%00", "%zz", "+", "%5B%5D", "\u0027"])],
    )();
  const pairs = Array.from({ length: random.weighed([2, 1], [3, 2], [1, 3], [1, 6]) }, () =>
    random.weighed(
      [12, `${key()}=${random.pick(QUERY_VALUES)}`],
      [1, key()],
      [1, ""],
      [1, `=${random.pick(QUERY_VALUES)}`],
    ),
  );
  return pairs.join("&");
}

/** Values of headers that are lists, quoted strings, dates or numbers, or almost. */
const FIELD_VALUES = [
  "a",
  "ab, cd",
  "a,,b ,",
  ",",
  " , ,\t",
  '"a,b", W/"c"',
  '"a\\",b", c',
  '"a, b',
  String.raw`a\,b`,
  '""',
  "*",
  "true",
  "fast",
  "fast, 1",
  "2026-01-01T00:00:00Z",
  "2026-01-01",
  "Sun, 06 Nov 1994 08:49:37 GMT",
  "Bearer ada:user",
  "\u00e4\u00ff",
  "\u00a0a\u0085",
  "a\tb",
  "'a'",
  "a;b=c",
];

/** Returns any value of a header. */
export function fieldValue(random: Random): string {
  return random.pick(random.chance(0.5) ? FIELD_VALUES : QUERY_VALUES);
}

/** Returns a header `cookie` with some of these names, in forms that no browser would send. */
export function cookies(random: Random, names: readonly string[]): string {
  const pair = (): string => {
    const name = random.weighed<() => string>(
      [12, () => random.pick(names)],
      [1, () => random.pick(names).toUpperCase()],
      [1, () => `${random.pick(names)} `],
      [1, () => random.pick(["", "a", "__proto__", "$Version", "%73id"])],
    )();
    const value = fieldValue(random);
    return random.weighed(
      [10, `${name}=${value}`],
      [2, `${name}="${value}"`],
      [1, `${name} = ${value}`],
      [1, `${name}=${value}=`],
      [1, name],
      [1, ""],
    );
  };
  const pairs = Array.from({ length: random.weighed([3, 1], [3, 2], [1, 4]) }, pair);
  return pairs.join(random.pick(["; ", ";", ";\t", " ; "]));
}
