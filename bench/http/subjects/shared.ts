/**
 * Code that the peers in JavaScript share: authentication, the error format, handwritten rules of a note, and the connection to the
 * benchmark.
 */
import { randomBytes } from "node:crypto";

import type { CreateNoteInput } from "../app/src/notes.types.ts";

/** Maximum size of a request body in bytes. */
export const bodyLimit: number = 1024 * 1024;

const scheme = "Bearer ";
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Path of an invalid value in a request, and the problem. */
export interface Field {
  readonly path: string;
  readonly expected: string;
  readonly value?: unknown;
}

/** Error that a request is refused with. */
export class Failure extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: readonly Field[] | undefined;

  constructor(status: number, code: string, message: string, fields?: readonly Field[]) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/** Returns the error for input that breaks rules. */
export function invalid(fields: readonly Field[]): Failure {
  return new Failure(400, "VALIDATION_ERROR", "The request is invalid", fields);
}

/** Returns the response body for an error, and the failure from which it was made. */
export function envelopeOf(error: unknown): { readonly failure: Failure; readonly body: object } {
  const failure =
    error instanceof Failure ? error : new Failure(500, "INTERNAL_SERVER_ERROR", "Internal Server Error");
  if (failure.status === 500) console.error(error);
  const { code, message, fields } = failure;
  const traceId = randomBytes(16).toString("hex");
  const body = fields
    ? { error: { code, message, details: { fields }, traceId } }
    : { error: { code, message, traceId } };
  return { failure, body };
}

/** Returns the user that the access token names. The function is asynchronous, like the verification of a signature. */
export async function userOf(header: string | null | undefined): Promise<string> {
  if (header === undefined || header === null || !header.startsWith(scheme)) {
    throw new Failure(401, "UNAUTHORIZED", "Missing or invalid authorization header");
  }
  const [userId = ""] = header.slice(scheme.length).split(":");
  if (userId === "") throw new Failure(401, "INVALID_TOKEN", "The access token names no user");
  return userId;
}

/** Returns the tenant that the header `x-tenant` names. */
export function tenantOf(header: string | null | undefined): string {
  if (!header) throw new Failure(400, "TENANT_REQUIRED", "Send x-tenant");
  return header;
}

/** Returns the language that the client prefers. */
export function localeOf(header: string | null | undefined): string {
  return header?.split(/[,;]/, 1)[0] ?? "en";
}

/** Returns the number of a user's requests. Throws an error if the quota is exceeded, for which `used` is `undefined`. */
export function withinQuota(used: number | undefined): number {
  if (used === undefined) throw new Failure(429, "QUOTA_EXCEEDED", "Too many requests");
  return used;
}

/** Returns a path parameter. Throws an error if it is not a UUID. */
export function uuidOf(id: string): string {
  if (!uuid.test(id)) throw invalid([{ path: "$.id", expected: "string, format uuid", value: id }]);
  return id;
}

/** Returns true if the string has at most `limit` code points. The number of UTF-16 code units decides almost all cases. */
function isAtMost(text: string, limit: number): boolean {
  return text.length <= limit || (text.length <= 2 * limit && [...text].length <= limit);
}

/** Validates the input for a note, and lists every failure. */
export function noteInputOf(value: unknown): CreateNoteInput {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid([{ path: "$", expected: "object", value }]);
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
  if (fields.length > 0) throw invalid(fields);
  return { title: title as string, content: content as string, archived: (archived as boolean) ?? false };
}

/**
 * Returns the port that the server must listen on. From now on, the process exits when the benchmark exits or is killed, because its end of
 * the pipe closes then.
 */
export function assignedPort(): number {
  process.stdin.resume().once("end", () => process.exit());
  return Number(process.env["PORT"]);
}
