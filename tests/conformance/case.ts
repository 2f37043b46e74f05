import { readFileSync } from "node:fs";

/** Request of a case: either its method, target, headers and body, or its raw bytes. */
export interface CaseRequest {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Body as Latin-1, in place of `body`. */
  readonly bytes?: string;
  readonly repeat?: readonly [text: string, count: number];
  readonly chunks?: number;
  readonly raw?: string;
  readonly fill?: readonly [text: string, count: number];
}

/** Case of `conformance/http.json`. The property `about` of that file explains the properties of a case. */
export interface Case {
  readonly name: string;
  readonly request: CaseRequest;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly matches?: Readonly<Record<string, string>>;
  readonly absent?: readonly string[];
  readonly cookies?: readonly string[];
  readonly body?: Readonly<Record<string, unknown>>;
  readonly exact?: unknown;
  readonly text?: string;
  readonly textRepeat?: readonly [text: string, count: number];
  readonly hex?: string;
  readonly cut?: true;
  readonly empty?: true;
  readonly code?: string;
  readonly error?: Readonly<Record<string, unknown>>;
  readonly exactError?: Readonly<Record<string, unknown>>;
  readonly paths?: readonly string[];
  readonly closes?: true;
  readonly answers?: number;
  readonly refused?: true;
  readonly untyped?: true;
}

/** Reads the cases of a file, and the maximum body size that they are written for. */
export function readCases(name: "http" | "contracts" | "wrappers" | "bodies" | "format-unions" = "http"): {
  readonly bodyLimit: number;
  readonly cases: readonly Case[];
} {
  const file = new URL(`../../conformance/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as { bodyLimit: number; cases: Case[] };
}

/** Returns the bytes of a case's request. A raw request is a Latin-1 string. */
export function bytesOf({ request, closes }: Case): Buffer {
  if (request.raw !== undefined) {
    const [text, count] = request.fill ?? ["", 0];
    return Buffer.from(request.raw.replace("%s", text.repeat(count)), "latin1");
  }
  const { method = "GET", target = "/", headers = {}, chunks } = request;
  const body = bodyOf(request);
  const lines = Object.entries({ host: "localhost", ...headers }).map(
    ([name, text]) => `${name}: ${text}\r\n`,
  );
  // Sends no `connection: close` in cases which test that the server itself closes the connection.
  if (closes !== true) lines.push("connection: close\r\n");
  if (chunks !== undefined) lines.push("transfer-encoding: chunked\r\n");
  else if (body.length > 0) lines.push(`content-length: ${body.length}\r\n`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return Buffer.concat([head, chunks === undefined ? body : inChunks(body, chunks)]);
}

/** Returns the body of a case's request. */
export function bodyOf(request: CaseRequest): Buffer<ArrayBuffer> {
  const [repeated, count] = request.repeat ?? ["", 0];
  if (request.bytes !== undefined) return Buffer.from(request.bytes, "latin1");
  return Buffer.from((request.body ?? "") + repeated.repeat(count));
}

function inChunks(body: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < body.length; start += size) {
    const piece = body.subarray(start, start + size);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}
