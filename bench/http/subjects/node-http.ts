/**
 * The peer: bare node:http doing by hand what the application does, as an expert would write it. The same routes, the same
 * authentication, the same validation with every failure named, the same error envelopes, the same JSON.
 */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import type { CreateNoteInput, Note } from "../app/src/notes.types.ts";
import { create, find } from "../app/src/store.ts";

const bodyLimit = 1024 * 1024;
const scheme = "Bearer ";

interface Field {
  path: string;
  expected: string;
  value?: unknown;
}

class Failure extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: Field[] | undefined;

  constructor(status: number, code: string, message: string, fields?: Field[]) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

function sendFailure(response: ServerResponse, error: unknown): void {
  const failure =
    error instanceof Failure ? error : new Failure(500, "INTERNAL_SERVER_ERROR", "Internal Server Error");
  const { status, code, message, fields } = failure;
  const traceId = randomBytes(16).toString("hex");
  const body = fields
    ? { error: { code, message, details: { fields }, traceId } }
    : { error: { code, message, traceId } };
  if (status === 413) response.setHeader("connection", "close");
  send(response, status, JSON.stringify(body));
}

async function authenticate(request: IncomingMessage): Promise<string> {
  const header = request.headers.authorization;
  if (header === undefined || !header.startsWith(scheme)) {
    throw new Failure(401, "UNAUTHORIZED", "Missing or invalid authorization header");
  }
  const [userId = ""] = header.slice(scheme.length).split(":");
  if (userId === "") throw new Failure(401, "INVALID_TOKEN", "The access token names no user");
  return userId;
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

/** At most so many code points; the length in UTF-16 decides almost always. */
function isAtMost(text: string, limit: number): boolean {
  return text.length <= limit || (text.length <= 2 * limit && [...text].length <= limit);
}

function validate(value: unknown): CreateNoteInput {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Failure(400, "VALIDATION_ERROR", "The body is invalid", [
      { path: "$", expected: "object", value },
    ]);
  }
  const { title, content, archived } = value as Record<string, unknown>;
  const fields: Field[] = [];
  if (typeof title !== "string" || title.length === 0 || !isAtMost(title, 200)) {
    fields.push({ path: "$.title", expected: "string, 1 to 200 characters", value: title });
  }
  if (typeof content !== "string" || !isAtMost(content, 10_000)) {
    fields.push({ path: "$.content", expected: "string, at most 10000 characters", value: content });
  }
  if (archived !== undefined && typeof archived !== "boolean") {
    fields.push({ path: "$.archived", expected: "boolean", value: archived });
  }
  if (fields.length > 0) throw new Failure(400, "VALIDATION_ERROR", "The body is invalid", fields);
  return { title: title as string, content: content as string, archived: (archived as boolean) ?? false };
}

function serialize(note: Note): string {
  const { id, title, content, authorId, archived, createdAt, updatedAt } = note;
  return JSON.stringify({ id, title, content, authorId, archived, createdAt, updatedAt });
}

async function createNote(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const userId = await authenticate(request);
  if (request.headers["content-type"] !== "application/json") {
    throw new Failure(415, "UNSUPPORTED_MEDIA_TYPE", "Send application/json");
  }
  const text = await readText(request);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Failure(400, "VALIDATION_ERROR", "The body is invalid", [{ path: "$", expected: "JSON" }]);
  }
  send(response, 201, serialize(create(validate(value), userId)));
}

async function getNote(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
  await authenticate(request);
  const note = find(id);
  if (note === undefined) throw new Failure(404, "NOTE_NOT_FOUND", "Note not found");
  send(response, 200, serialize(note));
}

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = request.url ?? "/";
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  const method = request.method ?? "GET";
  if (path === "/health") {
    if (method !== "GET" && method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      throw new Failure(405, "METHOD_NOT_ALLOWED", `This path does not take ${method}`);
    }
    return send(response, 200, JSON.stringify({ status: "ok" }));
  }
  if (path === "/notes") {
    if (method === "POST") return createNote(request, response);
    response.setHeader("allow", "POST");
    throw new Failure(405, "METHOD_NOT_ALLOWED", `This path does not take ${method}`);
  }
  if (path.startsWith("/notes/") && path.length > 7 && !path.includes("/", 7)) {
    if (method === "GET" || method === "HEAD") {
      return getNote(request, response, decodeURIComponent(path.slice(7)));
    }
    response.setHeader("allow", "GET, HEAD");
    throw new Failure(405, "METHOD_NOT_ALLOWED", `This path does not take ${method}`);
  }
  throw new Failure(404, "NOT_FOUND", "Nothing is here");
}

const server = createServer((request, response) => {
  route(request, response).catch((error: unknown) => sendFailure(response, error));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.send?.({ port: address.port });
});
