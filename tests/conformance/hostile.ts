// Generates random requests from a seed. They contain many elements that parsers and routers interpret differently: escapes,
// backslashes, dots, slashes, semicolons, upper and lower case, absolute targets, old versions, unusual methods, and bodies that a
// parser refuses.

import { Random } from "../property/support/random.ts";

/** Paths of the application in `guarded.ts`. Most of their routes are behind middleware that responds with 401. */
const paths: readonly string[] = [
  "/admin",
  "/admin/users",
  "/admin/users/7",
  "/api/admin/7",
  "/users/@me",
  "/users/7",
  "/exact/page",
  "/hidden/7",
  "/guarded/987654321",
  "/open/a/b",
  "/open/admin/users",
  "/files/admin/users/7",
  "/tenant/users/7",
  "/files/upload",
  "/files/name",
  "/assets/logo",
  "/numbers/7",
  "/nowhere",
  "/",
];

const inserted: readonly string[] = [
  ...'\\/.;%?#@:|{}[]^~*+&=,! \t"<>`',
  "//",
  "/.",
  "/..",
  "/./",
  "/../",
  "/..;/",
  ";x=1",
  "%2f",
  "%2F",
  "%5c",
  "%5C",
  "%2e",
  "%2e%2E/",
  "%00",
  "%0d%0a",
  "%20",
  "%25",
  "%252f",
  "%40",
  "%3b",
  "%3f",
  "%7c",
  "%zz",
  "%4",
  "%c3%a9",
  "%C3",
  "%c0%af",
  "%ef%bc%8f",
  "\x80",
];

const methods: readonly string[] = [
  ..."GET GET GET GET GET GET POST POST DELETE HEAD OPTIONS PUT PATCH".split(" "),
  ..."PROPFIND TRACE QUERY BREW get CONNECT".split(" "),
];

const hosts: readonly string[] = [
  ...Array.from({ length: 12 }, () => "Host: a\r\n"),
  "Host: localhost:80\r\n",
  "Host: [::1]:8080\r\n",
  "Host: a.%61\r\n",
  "Host: \r\n",
  "Host: a:b:c\r\n",
  "Host: a/admin\r\n",
  "Host: a\r\nHost: b\r\n",
  "",
];

const fields: readonly string[] = [
  "Expect: 100-continue\r\n",
  "Expect: everything\r\n",
  "Upgrade: websocket\r\nConnection: Upgrade\r\n",
  "Connection: close\r\n",
  "Connection: keep-alive\r\n",
  "X-Original-URL: /open/a/b\r\n",
  "X-HTTP-Method-Override: GET\r\n",
  "Accept-Version: 1.0.0\r\n",
  "Content-Type: application/json\r\n",
  "Content-Type: ;\r\n",
  "Content-Type: application/json; charset=latin1\r\n",
  "Content-Encoding: br\r\n",
  "Cookie: a=b\r\n",
];

const bodies: readonly string[] = [
  '{"text":"a"}',
  '{"text":',
  "",
  "[",
  '"text"',
  "GET /admin HTTP/1.1\r\nHost: a\r\n\r\n",
  "a=b",
];

/** Last request on a connection. Its route is open, and `Connection: close` makes the server close the connection. */
export const last = "GET /sentinel HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/** Returns a random request target. It is often one of the application's paths in another spelling. */
export function randomTarget(random: Random): string {
  let path = random.pick(paths);
  const times = random.pick([0, 1, 1, 1, 2, 2, 3, 6]);
  for (let time = 0; time < times; time++) path = mutated(random, path);
  const query = random.pick(["", "", "", "?", "?x=1", "?x=\\", "?/../admin", "?x=%", "?a=b?c", ";x?y"]);
  const form = random.pick([
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "http://a",
    "https://b:1",
    "HTTP://a",
    "http://a@b",
    "//a",
    "*",
  ]);
  return form === "*" ? "*" : form + path + query;
}

function mutated(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const here = after.slice(0, 1);
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
      return here === "" ? `${text}/` : before + escaped(random, here) + after.slice(1);
    case 3:
      return (
        before + (here === here.toLowerCase() ? here.toUpperCase() : here.toLowerCase()) + after.slice(1)
      );
    case 4:
      return before + after.slice(1);
    case 5:
      return `${text}/`;
    default:
      return before + random.pick(inserted) + after;
  }
}

function escaped(random: Random, character: string): string {
  const digits = character.charCodeAt(0).toString(16).padStart(2, "0");
  const escape = `%${random.chance(50) ? digits : digits.toUpperCase()}`;
  return random.chance(10) ? escape.replace("%", "%25") : escape;
}

/** Returns a random request as a Latin-1 string. */
export function randomRequest(random: Random): string {
  const version = random.chance(85)
    ? "HTTP/1.1"
    : random.pick(["HTTP/1.0", "HTTP/1.0", "HTTP/1.2", "http/1.1", ""]);
  const body = random.chance(35) ? random.pick(bodies) : undefined;
  const some = random.several(fields, random.pick([0, 0, 1, 1, 2])).join("");
  const head = `${random.pick(methods)} ${randomTarget(random)} ${version}\r\n${random.pick(hosts)}${some}`;
  if (body === undefined) return `${head}\r\n`;
  switch (random.below(8)) {
    case 0:
      return `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    case 1:
      return `${head}Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;
    case 2:
      return `${head}Content-Length: ${random.pick(["-1", "0x2", "1e1", "2, 2", " "])}\r\n\r\n${body}`;
    default:
      return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  }
}

/** Returns the bytes that a client sends on one connection: several requests, of which some are corrupted, and then `last`. */
export function randomConnection(random: Random): Buffer {
  let text = "";
  for (let count = random.pick([1, 1, 1, 2, 3, 8]); count > 0; count--) text += randomRequest(random);
  let bytes = Buffer.from(text + last, "latin1");
  if (random.chance(15)) {
    for (let count = 1 + random.below(3); count > 0; count--) {
      const at = random.below(bytes.length - last.length);
      if (random.chance(50)) bytes[at] = random.below(256);
      else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(4))]);
    }
  }
  return bytes;
}

/** Returns the seed and the number of runs: from `KIT_SEED` and `KIT_RUNS` if they are set, otherwise the test's defaults. */
export function chosenRuns(runs: number): {
  readonly seed: number;
  readonly runs: number;
  readonly isLong: boolean;
} {
  const { KIT_SEED: seed, KIT_RUNS: wanted } = process.env;
  return { seed: Number(seed ?? 1), runs: Number(wanted ?? runs), isLong: wanted !== undefined };
}

export { Random };
