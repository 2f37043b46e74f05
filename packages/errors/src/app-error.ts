/** The body of an answer as an error alone knows it; the error middleware adds `traceId`. */
export interface AppErrorJson {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: object;
  };
}

/**
 * Marks instances in the registry that all realms and all copies of this package share. `instanceof` knows only one copy's
 * class, and an application easily has two copies (a linked package, a test runner's own module graph).
 */
const brand: unique symbol = Symbol.for("@kit/errors/AppError");

/**
 * An error that a client is told about: status, code, message and details are sent as they are. Anything else that is
 * thrown becomes a 500 whose message stays on the server.
 *
 * @example
 * ```ts
 * throw new AppError("TEAM_FULL", 403, "The team has no free place", { size: 12 });
 * ```
 */
export class AppError extends Error {
  static {
    // On the prototype and not enumerable, as with the errors of the language: printing an error shows neither.
    Object.defineProperty(this.prototype, "name", { value: "AppError", configurable: true, writable: true });
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  /** Machine-readable: `NOTE_NOT_FOUND`. */
  readonly code: string;
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** More for the client, sent as JSON. */
  declare readonly details?: object;

  /**
   * `options.cause` is the error that led to this one; it is logged and never sent.
   *
   * @throws {RangeError} where `status` is not an integer from 400 to 599.
   * @throws {TypeError} where `code` is empty or `details` is not an object.
   */
  constructor(code: string, status: number, message: string, details?: object, options?: ErrorOptions) {
    super(message, options);
    if (typeof code !== "string" || code === "") {
      throw new TypeError(`The code of an error is a text such as NOT_FOUND, not ${describe(code)}`, {
        cause: this,
      });
    }
    if (!isErrorStatus(status)) {
      throw new RangeError(
        `The status of an error is an integer from 400 to 599, not ${describe(status)} (code ${code}: ${message})`,
        { cause: this },
      );
    }
    if (details !== undefined && (typeof details !== "object" || details === null)) {
      throw new TypeError(
        `The details of an error are an object, not ${describe(details)} (code ${code}: ${message})`,
        {
          cause: this,
        },
      );
    }
    this.code = code;
    this.status = status;
    if (details !== undefined) this.details = details;
  }

  /** The body of the answer, without `traceId`. */
  toJSON(): AppErrorJson {
    const { code, message, details } = this;
    return { error: details === undefined ? { code, message } : { code, message, details } };
  }

  /**
   * Whether something that was thrown is an `AppError`, of whatever realm or copy of this package. Never throws.
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
      return false; // a proxy or a getter that throws is none of ours
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
