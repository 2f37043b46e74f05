/**
 * Peer: node:http without a framework, as an expert would write the application. Routes, authentication, error format and JSON are those of
 * the application, and all validation failures are listed.
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import { findStored } from "../app/src/database.ts";
import type { Note } from "../app/src/notes.types.ts";
import { use } from "../app/src/quota.ts";
import { create, find } from "../app/src/store.ts";
import {
  assignedPort,
  bodyLimit,
  envelopeOf,
  Failure,
  invalid,
  localeOf,
  noteInputOf,
  tenantOf,
  userOf,
  uuidOf,
  withinQuota,
} from "./shared.ts";

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

function sendFailure(response: ServerResponse, error: unknown): void {
  const { failure, body } = envelopeOf(error);
  if (failure.status === 413) response.setHeader("connection", "close");
  send(response, failure.status, JSON.stringify(body));
}

function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > bodyLimit) {
        request.removeAllListeners("data");
        request.resume();
        reject(new Failure(413, "PAYLOAD_TOO_LARGE", `The body is larger than ${bodyLimit} bytes`));
        return;
      }
      chunks.push(chunk);
    });
    request.on("end", () => {
      resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString("utf8"));
    });
    request.on("error", reject);
  });
}

function serialize(note: Note): string {
  const { id, title, content, authorId, archived, createdAt, updatedAt } = note;
  return JSON.stringify({ id, title, content, authorId, archived, createdAt, updatedAt });
}

async function createNote(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const userId = await userOf(request.headers.authorization);
  if (request.headers["content-type"] !== "application/json") {
    throw new Failure(415, "UNSUPPORTED_MEDIA_TYPE", "Send application/json");
  }
  const text = await readText(request);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid([{ path: "$", expected: "JSON" }]);
  }
  send(response, 201, serialize(create(noteInputOf(value), userId)));
}

function sendNote(response: ServerResponse, note: Note | undefined): void {
  if (note === undefined) throw new Failure(404, "NOTE_NOT_FOUND", "Note not found");
  send(response, 200, serialize(note));
}

async function getNote(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
  await userOf(request.headers.authorization);
  sendNote(response, find(id));
}

async function getStoredNote(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
  await userOf(request.headers.authorization);
  sendNote(response, await findStored(uuidOf(id)));
}

async function getAccount({ headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const userId = await userOf(headers.authorization);
  const tenant = tenantOf(headers["x-tenant"] as string | undefined);
  const locale = localeOf(headers["accept-language"]);
  const used = withinQuota(use(userId));
  response.setHeader("cache-control", "no-store");
  send(response, 200, JSON.stringify({ userId, tenant, locale, used }));
}

/**
 * Returns the segment after the prefix, or `undefined` if the path has more or fewer segments: `/notes/7` with the prefix `/notes/` gives
 * `7`.
 */
function parameter(path: string, prefix: string): string | undefined {
  if (!path.startsWith(prefix) || path.length === prefix.length || path.includes("/", prefix.length)) {
    return undefined;
  }
  return decodeURIComponent(path.slice(prefix.length));
}

function allow(request: IncomingMessage, response: ServerResponse, methods: string): void {
  const method = request.method ?? "GET";
  if (methods.split(", ").includes(method)) return;
  response.setHeader("allow", methods);
  throw new Failure(405, "METHOD_NOT_ALLOWED", `This path does not support ${method}`);
}

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = request.url ?? "/";
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  if (path === "/health") {
    allow(request, response, "GET, HEAD");
    return send(response, 200, JSON.stringify({ status: "ok" }));
  }
  if (path === "/notes") {
    allow(request, response, "POST");
    return createNote(request, response);
  }
  if (path === "/account") {
    allow(request, response, "GET, HEAD");
    return getAccount(request, response);
  }
  const id = parameter(path, "/notes/");
  if (id !== undefined) {
    allow(request, response, "GET, HEAD");
    return getNote(request, response, id);
  }
  const storedId = parameter(path, "/stored-notes/");
  if (storedId !== undefined) {
    allow(request, response, "GET, HEAD");
    return getStoredNote(request, response, storedId);
  }
  throw new Failure(404, "NOT_FOUND", "No route matches this path");
}

function listener(request: IncomingMessage, response: ServerResponse): void {
  route(request, response).catch((error: unknown) => sendFailure(response, error));
}

/** Creates a server with TLS for HTTP/1.1 and HTTP/2. Requests and responses of node:http2 have the properties of node:http's. */
async function createSecure(cert: string, key: string): Promise<Server> {
  const { createSecureServer } = await import("node:http2");
  const options = { cert: readFileSync(cert), key: readFileSync(key), allowHTTP1: true };
  return createSecureServer(options, listener as never) as unknown as Server;
}

const { BENCH_TLS_CERT: cert, BENCH_TLS_KEY: key } = process.env;
const server = cert && key ? await createSecure(cert, key) : createServer(listener);
server.listen(assignedPort(), "127.0.0.1");
