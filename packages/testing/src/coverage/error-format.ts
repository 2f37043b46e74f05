import type { Shape } from "@kit/core/codec";
import type { ValidationFailure } from "@kit/types";

/**
 * Format of the error bodies of an application. The generated `tests/contracts.ts` contains the format unless it is kit's
 * envelope.
 */
export interface ErrorFormat {
  /** Status of responses to requests that break their contract. */
  readonly validationStatus: 400 | 422;
  /** Names of the nested properties that lead to the code in a body. Absent if bodies have no code. */
  readonly code?: readonly string[];
  readonly message?: readonly string[];
  readonly details?: readonly string[];
  /** Names of the nested properties that lead to the failures of a validation error. */
  readonly fields?: readonly string[];
  readonly traceId?: readonly string[];
  /** Shape of the body, if the application declares its type. */
  readonly body?: Shape;
}

/** kit's own format. */
export const envelope: ErrorFormat = {
  validationStatus: 400,
  code: ["error", "code"],
  message: ["error", "message"],
  details: ["error", "details"],
  fields: ["error", "details", "fields"],
  traceId: ["error", "traceId"],
};

/** Values read from an error body. A value is `undefined` if the body does not contain it. */
export interface ReadFailure {
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly details: unknown;
  readonly fields: readonly Partial<ValidationFailure>[] | undefined;
  readonly traceId: string | undefined;
}

/** Reads an error body. */
export function readFailure(format: ErrorFormat, body: unknown): ReadFailure {
  const fields = at(body, format.fields);
  return {
    code: textAt(body, format.code),
    message: textAt(body, format.message),
    details: at(body, format.details),
    fields: Array.isArray(fields) ? (fields as Partial<ValidationFailure>[]) : undefined,
    traceId: textAt(body, format.traceId),
  };
}

/** Returns true if the body has every string that the format requires. */
export function fitsFormat(format: ErrorFormat, body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  return [format.code, format.message, format.traceId].every(
    (place) => place === undefined || textAt(body, place) !== undefined,
  );
}

function textAt(body: unknown, place: readonly string[] | undefined): string | undefined {
  const value = at(body, place);
  return typeof value === "string" ? value : undefined;
}

function at(body: unknown, place: readonly string[] | undefined): unknown {
  if (place === undefined) return undefined;
  let value = body;
  for (const name of place) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
