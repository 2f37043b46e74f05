import type { BaseContext } from "@kit/core";
import { AppError, UnauthorizedError } from "@kit/errors";

/** Characters that a quoted string of a header may contain unescaped (RFC 9110, section 5.6.4). */
const quotable = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * Returns a quoted string for the header `www-authenticate`.
 *
 * @throws {TypeError} If the text has other characters than printable ASCII, or quotes or backslashes.
 */
export function quoted(text: string, option: string): string {
  if (quotable.test(text)) return `"${text}"`;
  throw new TypeError(
    `${option}: write printable ASCII without quotes and backslashes, not ${JSON.stringify(text)}`,
  );
}

/**
 * Answers 401 with a challenge in the header `www-authenticate`.
 *
 * @throws {UnauthorizedError} Always.
 */
export function refuse(ctx: BaseContext, challenge: string, code: string, message: string): never {
  ctx.header("www-authenticate", challenge);
  throw new UnauthorizedError(code, message);
}

/**
 * Error of a service that the authentication needs: a key endpoint, or a store of sessions. Clients receive 503
 * `SERVICE_UNAVAILABLE`. The reason is the cause, which is logged and never sent.
 */
export class AuthServiceError extends AppError {
  static {
    Object.defineProperty(this.prototype, "name", {
      value: "AuthServiceError",
      configurable: true,
      writable: true,
    });
  }

  /** Seconds after which a client may try again. */
  readonly retryAfterSeconds: number;

  constructor(reason: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super("SERVICE_UNAVAILABLE", 503, "Service Unavailable", undefined, {
      cause: new Error(reason, options),
    });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Resolves as a promise does. If a service does not answer, sets the header `retry-after` of the 503 response.
 *
 * @throws {unknown} The error of the promise.
 */
export async function reached<T>(ctx: BaseContext, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AuthServiceError) ctx.header("retry-after", String(error.retryAfterSeconds));
    throw error;
  }
}
