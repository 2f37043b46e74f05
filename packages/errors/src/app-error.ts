/** Response body that an error defines itself. The error middleware adds `traceId`. */
export interface AppErrorJson {
  /** Code, message and details of the error. */
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: object;
  };
}

/**
 * Marks instances of `AppError` through the global symbol registry, which all realms and all copies of this package
 * share. `instanceof` compares with the class of one copy only. But an application can easily have two copies, for
 * example from a linked package or in the separate module graph of a test runner.
 */
const brand: unique symbol = Symbol.for("@kit/errors/AppError");

/**
 * Error that is sent to the client: status, code, message and details go into the response unchanged. Any other value
 * that is thrown becomes a 500 response, and its message stays on the server.
 *
 * @example
 * ```ts
 * throw new AppError("TEAM_FULL", 403, "The team has no free place", { size: 12 });
 * ```
 */
export class AppError extends Error {
  static {
    // Properties of the prototype that are not enumerable, as in the built-in errors, so printing an error does not
    // list them.
    Object.defineProperty(this.prototype, "name", { value: "AppError", configurable: true, writable: true });
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  /** Machine-readable code, such as `NOTE_NOT_FOUND`. */
  readonly code: string;
  /** HTTP status, from 400 to 599. */
  readonly status: number;
  /** Additional data for the client, sent as JSON. Absent if the constructor received no details. */
  declare readonly details?: object;

  /**
   * Creates an error for the client.
   *
   * @param code - Machine-readable code, such as `NOTE_NOT_FOUND`. Must not be empty.
   * @param status - HTTP status, an integer from 400 to 599.
   * @param message - Message for the client.
   * @param details - Additional data for the client, sent as JSON.
   * @param options - `options.cause` is the error that caused this error. kit logs the cause and never sends it.
   * @throws {RangeError} If `status` is not an integer from 400 to 599.
   * @throws {TypeError} If `code` is not a string or is empty, or if `details` is not an object.
   */
  constructor(code: string, status: number, message: string, details?: object, options?: ErrorOptions) {
    super(message, options);
    if (typeof code !== "string" || code === "") {
      throw new TypeError(`The code of an error must be a string such as NOT_FOUND, not ${describe(code)}`, {
        cause: this,
      });
    }
    if (!isErrorStatus(status)) {
      throw new RangeError(
        `The status of an error must be an integer from 400 to 599, not ${describe(status)} (code ${code}: ${message})`,
        { cause: this },
      );
    }
    if (details !== undefined && (typeof details !== "object" || details === null)) {
      throw new TypeError(
        `The details of an error must be an object, not ${describe(details)} (code ${code}: ${message})`,
        {
          cause: this,
        },
      );
    }
    this.code = code;
    this.status = status;
    if (details !== undefined) this.details = details;
  }

  /** Returns the response body, without `traceId`. */
  toJSON(): AppErrorJson {
    const { code, message, details } = this;
    return { error: details === undefined ? { code, message } : { code, message, details } };
  }

  /**
   * Returns true if a thrown value is an `AppError`, even if another realm or another copy of this package created it.
   * Never throws.
   *
   * @example
   * ```ts
   * try {
   *   await work();
   * } catch (error) {
   *   if (AppError.isAppError(error) && error.code === "NOTE_NOT_FOUND") return null;
   *   throw error;
   * }
   * ```
   */
  static isAppError(this: void, value: unknown): value is AppError {
    if (typeof value !== "object" || value === null) return false;
    try {
      const candidate = value as Partial<Record<typeof brand | "code" | "status", unknown>>;
      return (
        candidate[brand] === true && typeof candidate.code === "string" && isErrorStatus(candidate.status)
      );
    } catch {
      return false; // A proxy or a getter that throws cannot be an `AppError`.
    }
  }
}

function isErrorStatus(status: unknown): status is number {
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599;
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "number" || value === null || value === undefined
    ? `${value}`
    : `a ${typeof value}`;
}
