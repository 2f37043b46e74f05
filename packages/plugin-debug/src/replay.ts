import { randomBytes } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import type { RequestOptions } from "node:https";

import type { ReceivedRequest, RequestRecord } from "@kit/types";

import { ErrorResponse, truncate } from "./responses/error-response.ts";
import type { ReplayAnswer, ReplayRequest } from "./responses/shapes.ts";
import { isLoopback } from "./access/allowlist.ts";
import { hidden } from "./history/redaction.ts";
import type { SidecarState } from "./responses/sidecar-state.ts";

/** Matches codes of errors that a client without a certificate gets from a server that requires one. The codes have other causes too. */
const refusedHandshake = /^(?:ERR_SSL_|EPROTO$|ECONNRESET$)/;
const noCertificate =
  "If the application requires certificates of clients, it refuses the dashboard, which has none";

/** Path of the sidecar's endpoint that sends a request again. */
export const replayPath = "/_debug/replay";
/** Maximum size in bytes of the request body that the dashboard sends to that endpoint. */
export const greatestRequest: number = 256 * 1024;

const greatestResponse = 256 * 1024;
const timeoutMs = 30_000;

/**
 * Headers that belong to one connection or to the encoding of one message. The headers are not copied to the new
 * request.
 */
const ofTheConnection: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // This header belongs to the trace of the original request.
  "traceparent",
  "tracestate",
]);

const known: Readonly<Record<keyof ReplayRequest, true>> = {
  requestId: true,
  target: true,
  headers: true,
  body: true,
};

/**
 * Sends a recorded request to the application again, with its original method, and only to the application's own port. Hidden values are
 * not sent: the page must supply values in their place.
 */
export async function replay(
  state: SidecarState,
  text: string,
  remoteAddress: string,
): Promise<ReplayAnswer> {
  // An application that only this machine can reach stays unreachable for other machines.
  if (isLoopback(state.address.host) && !isLoopback(remoteAddress)) {
    throw new ErrorResponse(
      403,
      "FORBIDDEN",
      `the application listens on ${state.address.host}, so only a browser on the same machine may resend requests`,
    );
  }
  const question = read(text);
  const record = state.history.request(question.requestId);
  if (record === undefined) {
    throw new ErrorResponse(
      404,
      "NOT_FOUND",
      `there is no request ${truncate(question.requestId)}; the sidecar keeps only the last requests`,
    );
  }
  const traceId = randomBytes(16).toString("hex");
  const made = requestOf(state, record, question);
  const headers = {
    ...made.headers,
    traceparent: `00-${traceId}-${randomBytes(8).toString("hex")}-01`,
  };
  const answer = await sent(state.address, { ...made, headers });
  const requestId =
    state.host.requests?.recent({ limit: 50 }).find((other) => other.traceId === traceId)?.requestId ?? null;
  return { ...answer, traceId, requestId };
}

function read(text: string): ReplayRequest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid("the body must be JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid("the body must be an object");
  }
  for (const name of Object.keys(value))
    if (!Object.hasOwn(known, name)) throw invalid(`there is no property \`${truncate(name)}\``);
  const { requestId, target, headers, body } = value as { [name in keyof ReplayRequest]?: unknown };
  if (typeof requestId !== "string") throw invalid("`requestId` must be a string");
  // A target must begin with `/`. With a scheme, some servers would treat it as a request for another server.
  if (target !== undefined && (typeof target !== "string" || !/^\/[\x21-\x7e]*$/.test(target)))
    throw invalid("`target` must be a path that begins with `/`, with a query or without, percent-encoded");
  if (headers !== undefined && !isTexts(headers)) throw invalid("`headers` must be an object of strings");
  if (body !== undefined && body !== null && typeof body !== "string")
    throw invalid("`body` must be a string or null");
  return value as ReplayRequest;
}

function isTexts(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === "string")
  );
}

interface ReplayedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/**
 * Returns the request to send. Each part comes from the page, or if the page leaves it out, from the record.
 * Throws if the record hides a value of a part that it must supply.
 */
function requestOf(
  { redaction }: SidecarState,
  record: RequestRecord,
  question: ReplayRequest,
): ReplayedRequest {
  const { received } = record;
  if (received === null) {
    throw new ErrorResponse(
      409,
      "NOT_RECORDED",
      "the content of this request was not recorded, so the request cannot be resent",
    );
  }
  const redacted = redaction.request(record);
  const path = question.target ?? record.target;
  const headers = question.headers ?? received.headers;
  const body = question.body === undefined ? received.body : question.body;
  const missing = [
    ...(path.includes(hidden) || (question.target === undefined && redacted.target !== path)
      ? ["the target"]
      : []),
    ...namesOfHidden(headers, question.headers === undefined ? redacted.received!.headers : headers),
    ...(question.body === undefined && isBodyHidden(received, redacted.received!) ? ["the body"] : []),
    // In a history file, hidden values are replaced before the request is written, so the body contains the
    // placeholder.
    ...(body?.includes(JSON.stringify(hidden)) === true ? ["the body"] : []),
  ];
  if (missing.length > 0) {
    throw new ErrorResponse(
      409,
      "REDACTED",
      `${missing.join(", ")}: the recorded value is hidden or incomplete, so the request cannot be resent; fill in the missing parts`,
    );
  }
  const kept = Object.entries(headers).filter(([name]) => !ofTheConnection.has(name.toLowerCase()));
  return { method: record.method, path, headers: Object.fromEntries(kept), body };
}

/** Returns the names of the headers whose value is hidden. Headers that are not copied are left out. */
function namesOfHidden(
  headers: Readonly<Record<string, string>>,
  redacted: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (ofTheConnection.has(name.toLowerCase())) return [];
    return value === hidden || redacted[name] !== value ? [name] : [];
  });
}

function isBodyHidden(received: ReceivedRequest, redacted: ReceivedRequest): boolean {
  if (received.body === null) return received.bodyLength !== 0;
  if (redacted.body === null) return true;
  try {
    // Compares the JSON without its white space.
    return JSON.stringify(JSON.parse(received.body)) !== redacted.body;
  } catch {
    return true;
  }
}

async function sent(
  address: SidecarState["address"],
  { method, path, headers, body }: ReplayedRequest,
): Promise<Omit<ReplayAnswer, "traceId" | "requestId">> {
  const isAnywhere = address.host === "0.0.0.0" || address.host === "::";
  const options: RequestOptions = {
    host: isAnywhere ? "127.0.0.1" : address.host,
    port: address.port,
    method,
    path,
    headers: { ...headers, "accept-encoding": "identity" },
    agent: false,
    timeout: timeoutMs,
    // The address is that of this process, and the certificate is often valid for a name only.
    rejectUnauthorized: false,
  };
  // Most applications have no TLS, so they do not load the module.
  const send = address.url.startsWith("https:") ? process.getBuiltinModule("node:https").request : request;
  const start = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let sending;
  try {
    sending = send(options, resolve);
  } catch (error) {
    throw invalid(`the request cannot be sent: ${(error as Error).message}`);
  }
  sending.once("timeout", () => sending.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)));
  sending.once("error", reject);
  sending.end(body ?? undefined);
  let hasHead = false;
  try {
    const response = await promise;
    hasHead = true;
    const shownBody = await bodyOf(response);
    const { statusCode: status = 0, rawHeaders } = response;
    const pairs = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [[name, rawHeaders[index + 1]!] as const] : [],
    );
    return { status, headers: pairs, ...shownBody, durationMs: performance.now() - start };
  } catch (error) {
    sending.destroy();
    const { code = "", message, reason } = error as NodeJS.ErrnoException & { readonly reason?: string };
    // The messages of OpenSSL name lines of its source, and its reasons do not.
    const cause = reason ?? message;
    const isRefused = !hasHead && address.url.startsWith("https:") && refusedHandshake.test(code);
    const text = isRefused ? `${cause}. ${noCertificate}` : cause;
    throw new ErrorResponse(502, "NO_ANSWER", `the application did not respond: ${text}`);
  }
}

/** Returns the beginning of a response body. Does not wait for the rest of a long body. */
async function bodyOf(
  response: IncomingMessage,
): Promise<Pick<ReplayAnswer, "body" | "bodyLength" | "isCut">> {
  const pieces: Buffer[] = [];
  let bodyLength = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bodyLength += piece.length;
    if (bodyLength > greatestResponse) break;
  }
  const isCut = bodyLength > greatestResponse;
  const bytes = Buffer.concat(pieces).subarray(0, greatestResponse);
  try {
    // The bytes of a truncated body may end within a character.
    const body = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    return { body, bodyLength, isCut };
  } catch {
    return { body: null, bodyLength, isCut };
  }
}

function invalid(message: string): ErrorResponse {
  return new ErrorResponse(400, "VALIDATION_ERROR", message);
}
