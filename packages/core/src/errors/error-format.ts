import type { FailureDescription } from "./failure-description.ts";

/**
 * Dotted paths to the properties of an object whose values are of type `V`, such as `error.code`. The paths
 * have at most four names, which is enough for error bodies.
 */
export type PathTo<T, V, Depth extends readonly 0[] = []> = Depth["length"] extends 4
  ? never
  : T extends readonly unknown[]
    ? never
    : {
        [K in keyof T & string]-?:
          | (NonNullable<T[K]> extends V ? K : never)
          | (NonNullable<T[K]> extends object
              ? `${K}.${PathTo<NonNullable<T[K]>, V, [...Depth, 0]>}`
              : never);
      }[keyof T & string];

/**
 * Locations of code, message, details and trace id in an error body, as names joined by dots: `error.type`.
 */
export interface ErrorPaths<T extends object> {
  /** Path of the code. Without a code, clients can distinguish errors only by their status. */
  readonly code?: PathTo<T, string>;
  /** Path of the message. */
  readonly message?: PathTo<T, string>;
  /** Path of the details. */
  readonly details?: PathTo<T, unknown>;
  /** Path of the trace id. */
  readonly traceId?: PathTo<T, string>;
}

/** Options of {@link defineErrorFormat}. */
export interface ErrorFormatOptions<T extends object> {
  /** Media type of error bodies, a JSON type such as `application/problem+json`. Default `application/json`. */
  readonly contentType?: string;
  /**
   * Returns the body for a failure. kit calls this function for every error, also for errors of the HTTP server, such
   * as 400 for invalid HTTP. kit creates the bodies of the HTTP server's errors when the application starts, and
   * inserts the trace id later. Therefore the function must insert `traceId` unchanged, and its result must not depend
   * on the time.
   */
  readonly body: (failure: FailureDescription) => T;
  /**
   * Locations of code, message, details and trace id in the body, such as `{ code: "error.type" }`. The
   * generated client and the contract tests read these values there.
   */
  readonly paths?: ErrorPaths<T>;
}

/** Error format of an application, created by {@link defineErrorFormat}. */
export interface ErrorFormat<T extends object = object> {
  readonly contentType: string;
  readonly body: (failure: FailureDescription) => T;
  readonly paths: Readonly<Partial<Record<keyof ErrorPaths<T>, string>>>;
}

/**
 * Marks error formats through the global symbol registry, which all copies of this package share. An application easily
 * has two copies, such as a linked package.
 */
const brand: unique symbol = Symbol.for("@kit/core/ErrorFormat");

/** Matches a media type without parameters whose content is JSON. */
const jsonMediaType = /^application\/(?:[a-z0-9!#$&^_.-]+\+)?json$/;

/**
 * Defines the format of an application's error bodies. Write the type argument, because the compiler reads it: OpenAPI,
 * the client and the contract tests then have this type.
 *
 * @param options - Function that returns the body, and the media type and the paths of the body.
 * @example
 * ```ts
 * export const errorFormat = defineErrorFormat<MyError>({
 *   body: ({ code, message, traceId }) => ({ error: { type: code, text: message, request: traceId } }),
 *   paths: { code: "error.type", message: "error.text", traceId: "error.request" },
 * });
 *
 * createApp({ server: nativeServer(), routes, errors: { format: errorFormat } });
 * ```
 * @throws {TypeError} If an option is invalid. The message names the option.
 */
export function defineErrorFormat<T extends object>(options: ErrorFormatOptions<T>): ErrorFormat<T> {
  if (typeof options !== "object" || options === null) {
    throw new TypeError("defineErrorFormat requires an object of options with the function `body`");
  }
  const { contentType = "application/json", body, paths = {} } = options;
  for (const name of Object.keys(options)) {
    if (name !== "contentType" && name !== "body" && name !== "paths")
      throw new TypeError(`defineErrorFormat: there is no option \`${name}\``);
  }
  if (typeof body !== "function") throw new TypeError("defineErrorFormat: `body` must be a function");
  if (typeof contentType !== "string" || !jsonMediaType.test(contentType)) {
    throw new TypeError(
      `defineErrorFormat: \`contentType\` must be a JSON media type in lower case without parameters, such as "application/problem+json", not ${JSON.stringify(contentType)}`,
    );
  }
  checkPaths(paths);
  const format = { contentType, body, paths };
  Object.defineProperty(format, brand, { value: true });
  return Object.freeze(format);
}

function checkPaths(paths: object): void {
  if (typeof paths !== "object" || paths === null)
    throw new TypeError("defineErrorFormat: `paths` must be an object");
  for (const [name, path] of Object.entries(paths)) {
    if (!["code", "message", "details", "traceId"].includes(name)) {
      throw new TypeError(
        `defineErrorFormat: there is no \`paths.${name}\`; use code, message, details or traceId`,
      );
    }
    if (typeof path !== "string" || path === "")
      throw new TypeError(`defineErrorFormat: \`paths.${name}\` must be a string such as "error.type"`);
  }
}

/** Returns true if {@link defineErrorFormat} created the value. */
export function isErrorFormat(value: unknown): value is ErrorFormat {
  return typeof value === "object" && value !== null && brand in value;
}
