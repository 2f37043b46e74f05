import { randomBytes } from "node:crypto";

import type { ErrorBodies, ErrorBodyPart, ErrorBodySource, Serializer } from "@kit/types";

import type { ErrorBody } from "../error-middleware.ts";
import { toLoggable } from "../logging/loggable.ts";
import { compileRedactor } from "../logging/redact.ts";
import { errorBodyText } from "./error-text.ts";
import { type ErrorFormat, isErrorFormat } from "./error-format.ts";
import { describeFailure, type FailureDescription, validationCode } from "./failure-description.ts";
import { problemOf, problemType, toUuid } from "./problem-details.ts";

/** Error format of an application, and the status of validation errors. */
export interface ReadErrors {
  readonly format: "envelope" | "problem-details" | ErrorFormat;
  readonly validationStatus: 400 | 422;
}

/** Status and body of an error response. */
export interface WrittenError {
  readonly status: number;
  readonly text: string;
}

const nothingHidden = compileRedactor([]);

/**
 * Trace id in bodies that are created at the start. It is random, so that its occurrences in a body can be
 * found with certainty.
 */
const placeholder: string = randomBytes(16).toString("hex");
const placeholderUuid: string = toUuid(placeholder);

/**
 * Writes error bodies in the format of the option `errors`. An application without this option has no writer, and its
 * errors are sent as the error middleware returns them.
 */
export class ErrorWriter implements ErrorBodies {
  readonly contentType: string;
  readonly #errors: ReadErrors;
  /** Generated serializer of the declared type. `undefined` if the format has no declared type. */
  readonly #serializer: Serializer<unknown> | undefined;
  readonly #onFailure: (error: unknown) => void;
  readonly #plain: readonly ErrorBodyPart[];
  readonly #known = new Map<string, readonly ErrorBodyPart[]>();

  /**
   * @param onFailure - Called with the error if the format's function fails to write an error of the HTTP
   *   server.
   * @throws {TypeError} If the format's function cannot write the error 500.
   */
  constructor(
    errors: ReadErrors,
    serializer: Serializer<unknown> | undefined,
    onFailure: (error: unknown) => void,
  ) {
    const { format } = errors;
    this.#errors = errors;
    this.#serializer = serializer;
    this.#onFailure = onFailure;
    this.contentType =
      format === "envelope"
        ? "application/json"
        : format === "problem-details"
          ? problemType
          : format.contentType;
    const internal = { status: 500, code: "INTERNAL_SERVER_ERROR", message: "Internal Server Error" };
    try {
      this.#plain = this.#render(internal);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new TypeError(
        `createApp: the function \`body\` of \`errors.format\` failed for the error 500 INTERNAL_SERVER_ERROR: ${reason}`,
        { cause },
      );
    }
  }

  /**
   * Writes the response that an error middleware returned.
   *
   * @throws If the body is not kit's envelope, or if the function of the format fails.
   */
  write(status: number, body: ErrorBody): WrittenError {
    if (!isEnvelope(body)) {
      throw new TypeError(
        "The error middleware returned no body { error: { code, message, traceId } }; with the option `errors`, the format writes the body from these properties",
      );
    }
    const { validationStatus } = this.#errors;
    const isValidation = status === 400 && body.error.code === validationCode;
    const sent = isValidation ? validationStatus : status;
    return { status: sent, text: this.#textOf(sent, body) };
  }

  /** Returns the body for the error 500, without the function of the format. */
  plain(traceId: string): string {
    return join(this.#plain, traceId);
  }

  parts(error: ErrorBodySource): readonly ErrorBodyPart[] {
    const key = `${error.status} ${error.code} ${error.message}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    let parts = this.#plain;
    try {
      parts = this.#render(error);
    } catch (failure) {
      this.#onFailure(failure);
    }
    this.#known.set(key, parts);
    return parts;
  }

  body(error: ErrorBodySource, traceId: string): string {
    return join(this.parts(error), traceId);
  }

  #render({ status, code, message }: ErrorBodySource): readonly ErrorBodyPart[] {
    return split(this.#textOf(status, { error: { code, message, traceId: placeholder } }));
  }

  #textOf(status: number, body: ErrorBody): string {
    const { format } = this.#errors;
    if (isErrorFormat(format)) return this.#declaredText(format, describeFailure(status, body));
    if (format === "problem-details") return errorBodyText(problemOf(status, body));
    // In development, the envelope contains the status too.
    const { error } = body;
    return errorBodyText("status" in error ? { error: Object.assign({}, error, { status }) } : body);
  }

  #declaredText(format: ErrorFormat, failure: FailureDescription): string {
    try {
      return this.#serialize(format.body(failure));
    } catch (error) {
      const { details } = failure;
      if (details === undefined) throw error;
      // The details belong to the application and may have no JSON form. The rest must still reach the client.
      const loggable = toLoggable(details, nothingHidden) as object;
      return this.#serialize(format.body({ ...failure, details: loggable }));
    }
  }

  #serialize(value: unknown): string {
    if (typeof value !== "object" || value === null)
      throw new TypeError("The function `body` of the error format returned no object");
    return this.#serializer === undefined ? JSON.stringify(value) : this.#serializer.serialize(value);
  }
}

function isEnvelope(body: Partial<ErrorBody>): body is ErrorBody {
  const { code, message, traceId } = (body.error ?? {}) as Partial<Record<string, unknown>>;
  return typeof code === "string" && typeof message === "string" && typeof traceId === "string";
}

/** Splits a body at its trace ids. */
function split(text: string): readonly ErrorBodyPart[] {
  const parts: ErrorBodyPart[] = [];
  for (const piece of text.split(new RegExp(`(${placeholder}|${placeholderUuid})`))) {
    if (piece === placeholder) parts.push({ id: "hex" });
    else if (piece === placeholderUuid) parts.push({ id: "uuid" });
    else if (piece !== "") parts.push({ text: piece });
  }
  return parts;
}

function join(parts: readonly ErrorBodyPart[], traceId: string): string {
  return parts
    .map((part) => ("text" in part ? part.text : part.id === "hex" ? traceId : toUuid(traceId)))
    .join("");
}
