import { type ErrorFormat, isErrorFormat } from "../errors/error-format.ts";
import type { ReadErrors } from "../errors/error-writer.ts";
import { suggestName } from "./suggestion.ts";

/** Format of the error responses of an application. */
export interface ErrorsOptions {
  /**
   * Format of error bodies. `envelope` is kit's own, `{ error: { code, message, details?, traceId } }`;
   * `problem-details` is `application/problem+json` of RFC 9457; the result of `defineErrorFormat` is your own format.
   * Default `envelope`.
   */
  readonly format?: "envelope" | "problem-details" | ErrorFormat;
  /** Status of responses to requests that break their contract (`VALIDATION_ERROR`). Default 400. */
  readonly validationStatus?: 400 | 422;
}

const known: Readonly<Record<keyof ErrorsOptions, true>> = { format: true, validationStatus: true };
const builtIn = ["envelope", "problem-details"];

/**
 * Reads the option `errors`. Returns `null` if the option changes nothing, so that requests cost nothing.
 *
 * @throws {TypeError} If the option is invalid. The message names the problem.
 */
export function readErrors(given: ErrorsOptions | undefined): ReadErrors | null {
  if (given === undefined) return null;
  if (typeof given !== "object" || given === null || Array.isArray(given) || isErrorFormat(given)) {
    throw new TypeError(
      'createApp: `errors` must be an object such as { format: "problem-details", validationStatus: 422 }',
    );
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const near = suggestName(name, Object.keys(known));
    throw new TypeError(`createApp: there is no option \`errors.${name}\`${near}`);
  }
  const { format = "envelope", validationStatus = 400 } = given;
  if (!isErrorFormat(format) && !builtIn.includes(format as string)) {
    const near = typeof format === "string" ? suggestName(format, builtIn) : "";
    throw new TypeError(
      `createApp: \`errors.format\` must be "envelope", "problem-details" or the result of defineErrorFormat${near}`,
    );
  }
  if (validationStatus !== 400 && validationStatus !== 422) {
    throw new TypeError(
      `createApp: \`errors.validationStatus\` must be 400 or 422, not ${String(validationStatus)}`,
    );
  }
  if (format === "envelope" && validationStatus === 400) return null;
  return { format: format as ReadErrors["format"], validationStatus };
}
