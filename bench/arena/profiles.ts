/** Profiles of HttpArena that are measured: their requests, and the checks of the responses. */
import { randomBytes, randomInt } from "node:crypto";

import { contentOf, files, type Item, items, rowOf } from "./data.ts";
import type { Response } from "./exchange.ts";

/** Request, and the check of its response. The check returns the mistake, or `undefined` for a correct response. */
export interface Exchange {
  readonly request: Buffer;
  readonly check: (response: Response) => string | undefined;
}

/** Profile that is measured with HTTP requests. */
export interface Profile {
  readonly name: string;
  /** Requests that are sent in turn. */
  readonly measured: readonly Exchange[];
  /** Further requests with random values that are only checked, so that no server can have a prepared response. */
  readonly checked: readonly Exchange[];
  /** Number of requests that a connection sends before it waits for their responses; with HTTP/2, number of its streams. */
  readonly depth: number;
  /** Protocol of the connections: HTTP/1.1 without TLS and with TLS, and HTTP/2 over TLS. */
  readonly protocol: "http" | "https" | "h2";
  /** Number of connections. */
  readonly connections: number;
  /** Factor of the duration of a turn. */
  readonly factor: number;
  /** True if the server closes connections. `wrk` counts each close that the response does not announce as an error of reading. */
  readonly closes: boolean;
}

/** Profiles of HttpArena that are not measured, with the reason. */
export const left: Readonly<Record<string, string>> = {
  "baseline-h2c, json-h2c": "need HTTP/2 without TLS, which kit does not have",
  "gateway-64, production-stack": "measure several services together",
  "baseline-h3, static-h3, gateway-h3": "need HTTP/3, which kit does not have",
  "unary-grpc, unary-grpc-tls, stream-grpc, stream-grpc-tls": "need gRPC, which kit does not have",
  "api-4, api-16": "mix the requests of baseline, json and async-db on 4 and 16 cores",
  crud: "caches rows in the process; bench http has writes of rows",
};

const host = "Host: localhost:8080\r\n";

function get(target: string, headers = ""): Buffer {
  return Buffer.from(`GET ${target} HTTP/1.1\r\n${host}${headers}\r\n`);
}

function post(target: string, body: Buffer | string, headers = ""): Buffer {
  const bytes = Buffer.from(body);
  const head = `POST ${target} HTTP/1.1\r\n${host}${headers}Content-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

function chunked(target: string, body: string): Buffer {
  const head = `POST ${target} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`;
  return Buffer.from(`${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
}

/** Returns the mistake of a response whose status or media type is wrong. */
function mistakeOf({ status, headers }: Response, mediaType: string): string | undefined {
  if (status !== 200) return `the status is ${status}, not 200`;
  const declared = headers.get("content-type")?.split(";")[0]?.trim();
  // Both names are valid (RFC 9239), and HttpArena accepts both.
  const found = declared === "application/javascript" ? "text/javascript" : declared;
  return found === mediaType ? undefined : `the content type is ${String(found)}, not ${mediaType}`;
}

function text(request: Buffer, expected: string): Exchange {
  const check = (response: Response): string | undefined => {
    const body = response.body.toString();
    return (
      mistakeOf(response, "text/plain") ??
      (body === expected ? undefined : `the body is ${JSON.stringify(body)}, not ${JSON.stringify(expected)}`)
    );
  };
  return { request, check };
}

function baseline(a: number, b: number, body: number): Exchange[] {
  const target = `/baseline11?a=${a}&b=${b}`;
  return [
    text(get(target), String(a + b)),
    text(post(target, String(body)), String(a + b + body)),
    text(chunked(target, String(body)), String(a + b + body)),
  ];
}

function sum(a: number, b: number): Exchange {
  return text(get(`/baseline2?a=${a}&b=${b}`), String(a + b));
}

function priced(item: Item, multiplier: number): object {
  return { ...item, total: item.price * item.quantity * multiplier };
}

/** Returns the exchange of a list whose items have the order of properties of the data set. */
function json(count: number, multiplier: number, isCompressed: boolean): Exchange {
  const accepted = isCompressed ? "Accept-Encoding: gzip, br\r\n" : "";
  const expected = JSON.stringify(items.slice(0, count).map((item) => priced(item, multiplier)));
  const check = (response: Response): string | undefined => {
    const mistake = mistakeOf(response, "application/json");
    if (mistake !== undefined) return mistake;
    const isEncoded = response.headers.has("content-encoding");
    if (isEncoded !== isCompressed)
      return isEncoded ? "the body is compressed" : "the body is not compressed";
    const found = JSON.parse(response.body.toString()) as { count: number; items: unknown };
    return found.count === count && JSON.stringify(found.items) === expected
      ? undefined
      : "the items are wrong";
  };
  return { request: get(`/json/${count}?m=${multiplier}`, accepted), check };
}

function stored(limit: number, min: number, max: number): Exchange {
  const check = (response: Response): string | undefined => {
    const mistake = mistakeOf(response, "application/json");
    if (mistake !== undefined) return mistake;
    const found = JSON.parse(response.body.toString()) as { count: number; items: Item[] };
    const isRight = found.items.every((item) => {
      // A property in another order is no mistake.
      const { id, name, category, price, quantity, active, tags, rating } = item;
      const { score, count: ratings } = rating;
      const read = { id, name, category, price, quantity, active, tags, rating: { score, count: ratings } };
      const isWhole = Object.keys(item).length === Object.keys(read).length;
      return isWhole && price >= min && price <= max && JSON.stringify(read) === JSON.stringify(rowOf(id));
    });
    const isRepeated = new Set(found.items.map(({ id }) => id)).size < found.items.length;
    const count = min > 500 ? 0 : limit;
    return isRight && !isRepeated && found.count === count && found.items.length === count
      ? undefined
      : "the rows are wrong";
  };
  return { request: get(`/async-db?min=${min}&max=${max}&limit=${limit}`), check };
}

const mediaTypes: Readonly<Record<string, string>> = {
  css: "text/css",
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
  svg: "image/svg+xml",
  webp: "image/webp",
  woff2: "font/woff2",
};

function upload(bytes: number): Exchange {
  return text(post("/upload", randomBytes(bytes)), String(bytes));
}

const staticFiles = files.map((file): Exchange => {
  const expected = contentOf(file);
  const check = (response: Response): string | undefined => {
    const mediaType = mediaTypes[file.name.split(".")[1]!]!;
    return (
      mistakeOf(response, mediaType) ??
      (response.body.equals(expected) ? undefined : `the bytes of ${file.name} are wrong`)
    );
  };
  return { request: get(`/static/${file.name}`, "Accept-Encoding: br;q=1, gzip;q=0.8\r\n"), check };
});

const missingFile: Exchange = {
  request: get("/static/nonexistent.txt"),
  check: ({ status }) => (status === 404 ? undefined : `the status is ${status}, not 404`),
};

const small = (): number => randomInt(100, 1000);
const usual = {
  checked: [],
  depth: 1,
  protocol: "http",
  connections: 64,
  factor: 1,
  closes: false,
} as const;

const jsonProfile = {
  ...usual,
  measured: [
    json(1, 3, false),
    json(5, 7, false),
    json(10, 2, false),
    json(15, 5, false),
    json(25, 4, false),
    json(40, 8, false),
    json(50, 6, false),
  ],
};

/** Requests of the profile `limited-conn`: the server closes the connection after the tenth. */
const limited = Array.from({ length: 10 }, (_, index): Exchange => {
  const { request, check } = baseline(13, 42, 20)[index % 3]!;
  if (index < 9) return { request, check };
  return {
    request: Buffer.from(request.toString("latin1").replace(host, `${host}Connection: close\r\n`)),
    check,
  };
});

/** Profiles in the order of the tables. */
export const profiles: readonly Profile[] = [
  {
    ...usual,
    name: "baseline",
    measured: baseline(13, 42, 20),
    checked: baseline(small(), small(), small()),
  },
  { ...usual, name: "pipelined", measured: [text(get("/pipeline"), "ok")], depth: 16 },
  { ...usual, name: "limited-conn", measured: limited, closes: true },
  { ...jsonProfile, name: "json", checked: [json(randomInt(1, 51), small(), false)] },
  {
    ...usual,
    name: "json-comp",
    measured: [json(25, 4, true), json(40, 8, true), json(50, 6, true)],
    checked: [json(50, small(), true), json(50, small(), false)],
  },
  {
    ...usual,
    name: "upload",
    measured: [512_000, 2 * 1024 * 1024, 10 * 1024 * 1024, 20 * 1024 * 1024].map(upload),
    checked: [upload(small())],
    connections: 8,
    factor: 2,
  },
  { ...usual, name: "static", measured: staticFiles, checked: [missingFile] },
  {
    ...usual,
    name: "async-db",
    measured: [5, 10, 20, 35, 50].map((limit) => stored(limit, 10, 50)),
    checked: [stored(18, 20, 150), stored(33, 100, 400), stored(50, 9999, 9999)],
  },
  {
    ...jsonProfile,
    name: "json-tls",
    protocol: "https",
    checked: [json(randomInt(1, 51), small(), false)],
  },
  {
    ...usual,
    name: "baseline-h2",
    protocol: "h2",
    measured: [sum(1, 1)],
    checked: [sum(small(), small())],
    depth: 100,
    connections: 16,
  },
  {
    ...usual,
    name: "static-h2",
    protocol: "h2",
    measured: staticFiles,
    checked: [missingFile],
    depth: 32,
    connections: 16,
  },
];
