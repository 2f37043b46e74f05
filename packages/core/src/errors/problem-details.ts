import type { ErrorBody } from "../error-middleware.ts";
import { fieldsOf, type InvalidField } from "./failure-description.ts";
import { statusPhrase } from "./status-phrase.ts";

/** Media type of problem details (RFC 9457, 6.1). */
export const problemType = "application/problem+json";

/**
 * Error body of the format `problem-details`: the standard members of RFC 9457, then kit's extension members, which
 * begin with `code`. In development, the body has more members, such as `route`.
 */
export interface ProblemDetails {
  /** `about:blank`: the status and `code` describe the problem. */
  readonly type: string;
  /** Reason phrase of the status, because the type is `about:blank` (RFC 9457, 4.2.1). */
  readonly title: string;
  readonly status: number;
  /** Message of the error. */
  readonly detail: string;
  /** The trace id as a URN of RFC 9562. Identifies this occurrence of the problem. */
  readonly instance: string;
  readonly code: string;
  readonly details?: object;
  /** Invalid values of a validation error. */
  readonly errors?: readonly InvalidField[];
  readonly traceId: string;
}

/**
 * Returns the problem details of a failure. Other members of the envelope, which an error middleware may add, become
 * extension members. The members `type`, `title` and `instance` of the envelope replace kit's values.
 */
export function problemOf(status: number, { error }: ErrorBody): ProblemDetails {
  const { code, message, details, traceId } = error;
  const errors = fieldsOf(code, details);
  const rest = errors === undefined ? details : withoutFields(details!);
  const problem: Record<string, unknown> = {
    type: "about:blank",
    title: statusPhrase(status),
    status,
    detail: message,
    instance: `urn:uuid:${toUuid(traceId)}`,
    code,
    ...(rest !== undefined && { details: rest }),
    ...(errors !== undefined && { errors }),
    traceId,
  };
  for (const [name, value] of Object.entries(error)) {
    if (!ownMembers.has(name)) problem[name] = value;
  }
  return problem as unknown as ProblemDetails;
}

/**
 * Members of the envelope that problem details contain under another name, and members that only kit may set.
 */
const ownMembers: ReadonlySet<string> = new Set([
  "code",
  "message",
  "details",
  "traceId",
  "status",
  "detail",
  "errors",
]);

/** Returns the details without `fields`, which problem details have as `errors`. Returns `undefined` if nothing is left. */
function withoutFields(details: object): object | undefined {
  const { fields: _, ...rest } = details as { fields: unknown };
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Returns 32 hexadecimal digits in the form of a UUID. */
export function toUuid(traceId: string): string {
  return [
    traceId.slice(0, 8),
    traceId.slice(8, 12),
    traceId.slice(12, 16),
    traceId.slice(16, 20),
    traceId.slice(20),
  ].join("-");
}
