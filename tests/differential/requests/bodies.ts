// Random requests whose bodies are not JSON: the cases of conformance/bodies.json, and changes of their bodies and headers.

import { bodyOf, readCases } from "../../conformance/case.ts";
import type { Random } from "../support/random.ts";
import type { Sent } from "../support/request.ts";

/** Request that is changed. */
interface Seed {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Bodies that are longer take too much of the time. */
const longest = 20_000;

/** Texts with a meaning for one of the parsers. */
const tokens = [
  "\r\n",
  "\n",
  "\r",
  "--",
  "--boundary",
  "\r\n--boundary",
  "\r\n--boundary--",
  '\r\ncontent-disposition: form-data; name="title"\r\n\r\n',
  'content-disposition: form-data; name="photo"; filename="a/b\\"c.png"\r\n',
  "content-type: image/png\r\n",
  "content-type: text/plain; charset=iso-8859-1\r\n",
  "content-length: 3\r\n",
  "content-transfer-encoding: base64\r\n",
  "filename*=utf-8''%e4",
  "\x89PNG\r\n\x1a\n",
  "\xff\xd8\xff",
  "\0",
  "\xff",
  "\xc3\xa4",
  "\xef\xbb\xbf",
  "%",
  "%00",
  "%zz",
  "%C3%A4",
  "+",
  "&",
  "&&",
  "=",
  ";",
  "topics=news",
  "count=1e1",
  "count=0x3",
  "remember=TRUE",
  "email=",
  '"',
  "\\",
  "{",
  "}",
  '{"title":"a","pages":1,"printed":"2026-01-01T00:00:00Z"}\n',
  '"pages":1.5',
  '"printed":"2026-02-30T00:00:00Z"',
  "\\ud800",
  "\\u0000",
  "null",
  " ",
] as const;

const contentTypes = [
  "application/x-www-form-urlencoded",
  "Application/X-WWW-Form-Urlencoded;charset=utf-8",
  "application/x-www-form-urlencoded; charset=latin1",
  "multipart/form-data",
  "multipart/form-data; boundary=boundary",
  'multipart/form-data; boundary="boundary"',
  "multipart/form-data; boundary=a; boundary=boundary",
  "multipart/form-data; boundary=",
  "multipart/mixed; boundary=boundary",
  "application/json",
  "application/jsonl",
  "application/x-ndjson; charset=utf-8",
  "text/csv",
  "TEXT/CSV; header=present",
  "text/csv; charset=utf-16",
  "image/png",
  "image/",
  "image/png, image/jpeg",
  "*/*",
  "",
  ";",
] as const;

/** Returns the function that creates the request with a number. `has` tells if both servers have a route. */
export function bodyRequests(has: (route: string) => boolean): (random: Random) => Omit<Sent, "writes"> {
  const seeds = readCases("bodies").cases.flatMap(({ name, request }): Seed[] => {
    const { method = "GET", target = "/", headers = {} } = request;
    const body = bodyOf(request);
    // A handler of the Rust server does not send a text in chunks, and reads no mode of the test's application.
    const isAlike = request.raw === undefined && headers["x-mode"] === undefined;
    if (!has(`${method} ${target}`) || !isAlike || body.length > longest) return [];
    return [{ name, method, target, headers: Object.entries(headers), body }];
  });
  return (random) => {
    const { name, method, target, headers, body } = random.pick(seeds);
    let bytes: Buffer = body;
    if (random.chance(0.8)) {
      const count = random.weighed([4, 1], [3, 2], [2, 4], [1, 8]);
      for (let change = 0; change < count; change += 1)
        bytes = changed(bytes, random.pick(seeds).body, random);
    }
    const sent = headers.filter(([key]) => key !== "content-type" || !random.chance(0.05));
    const type = headers.find(([key]) => key === "content-type");
    const isRetyped = random.chance(0.12) && type !== undefined;
    const lines = isRetyped
      ? [
          ...sent.filter(([key]) => key !== "content-type"),
          ["content-type", random.pick(contentTypes)] as const,
        ]
      : sent;
    // A server that reads a body in chunks does not know before the handler starts that nothing follows.
    const mayHaveChunks = method !== "GET" && bytes.length > 0;
    return {
      kind: name,
      method,
      target,
      headers: [["host", "127.0.0.1"], ...lines],
      ...(method === "GET" ? {} : { body: bytes }),
      ...(mayHaveChunks && random.chance(0.3) ? { chunks: random.pick([1, 2, 7, 100, 4096]) } : {}),
      ...(random.chance(0.2)
        ? { cuts: Array.from({ length: random.int(1, 3) }, () => random.next()).toSorted((a, b) => a - b) }
        : {}),
    };
  };
}

/** Returns bytes with one change. `other` is the body of another request. */
function changed(bytes: Buffer, other: Buffer, random: Random): Buffer {
  const at = random.int(0, bytes.length);
  const end = Math.min(bytes.length, at + random.weighed([4, random.int(0, 4)], [1, random.int(0, 80)]));
  const from = random.int(0, other.length);
  const insert = random.weighed<() => Buffer>(
    [5, () => Buffer.from(random.pick(tokens), "latin1")],
    [2, () => Buffer.alloc(0)],
    [1, () => Buffer.from([random.int(0, 255)])],
    [1, () => bytes.subarray(at, random.int(at, bytes.length))],
    [1, () => other.subarray(from, random.int(from, other.length))],
  )();
  // Some changes replace bytes, others add bytes.
  const behind = random.chance(0.5) ? bytes.subarray(end) : bytes.subarray(at);
  const result = Buffer.concat([bytes.subarray(0, at), insert, behind]);
  return result.length > longest ? bytes : result;
}
