import type { ValidationFailure } from "@kit/types";

import type { ErrorBody } from "../error-middleware.ts";

/** Code of errors of requests whose params, query, headers, cookies or body break the contract. */
export const validationCode = "VALIDATION_ERROR";

/** Value of a request that breaks a rule of its contract. */
export type InvalidField = Pick<ValidationFailure, "path" | "expected" | "value" | "rule" | "limit">;

/** Failed request, as the function of {@link defineErrorFormat} receives it. */
export interface FailureDescription {
  /** HTTP status of the response, from 400 to 599. */
  readonly status: number;
  /** Code of the error, such as `NOTE_NOT_FOUND` or `VALIDATION_ERROR`. */
  readonly code: string;
  /** Message for people. */
  readonly message: string;
  /** Details of the error. Absent if it has none. */
  readonly details?: object;
  /** Invalid values, if the code is `VALIDATION_ERROR`. Empty for every other error. */
  readonly fields: readonly InvalidField[];
  /** Trace id of the request: 32 hexadecimal digits. */
  readonly traceId: string;
}

/** Returns the description of a failure from kit's envelope, which every error middleware returns. */
export function describeFailure(status: number, { error }: ErrorBody): FailureDescription {
  const { code, message, details, traceId } = error;
  return {
    status,
    code,
    message,
    ...(details !== undefined && { details }),
    fields: fieldsOf(code, details) ?? [],
    traceId,
  };
}

/** Returns `details.fields` of a validation error, and `undefined` for other errors. */
export function fieldsOf(code: string, details: object | undefined): readonly InvalidField[] | undefined {
  if (code !== validationCode || details === undefined) return undefined;
  const { fields } = details as { fields?: unknown };
  return Array.isArray(fields) ? (fields as InvalidField[]) : undefined;
}
