import { AppError } from "./app-error.ts";
import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
  ValidationError,
} from "./subclasses.ts";

/**
 * Creates the error for a status: an instance of the subclass if the status has one (400, 401, 403, 404, 409),
 * otherwise an {@link AppError}. `ctx.fail` throws the error that this function returns.
 *
 * @example
 * ```ts
 * errorFor(404, "USER_NOT_FOUND", "No such user") instanceof NotFoundError; // true
 * errorFor(429, "TOO_MANY_REQUESTS", "Wait a minute").status; // 429
 * ```
 * @param status - HTTP status, an integer from 400 to 599.
 * @param code - Machine-readable code. Must not be empty.
 * @param message - Message for the client.
 * @param details - Additional data for the client, sent as JSON.
 * @param options - `options.cause` is logged and never sent.
 * @throws {RangeError} If `status` is not an integer from 400 to 599.
 * @throws {TypeError} If `code` is empty or `details` is not an object.
 */
export function errorFor(
  status: number,
  code: string,
  message: string,
  details?: object,
  options?: ErrorOptions,
): AppError {
  switch (status) {
    case 400:
      return new ValidationError(code, message, details, options);
    case 401:
      return new UnauthorizedError(code, message, details, options);
    case 403:
      return new ForbiddenError(code, message, details, options);
    case 404:
      return new NotFoundError(code, message, details, options);
    case 409:
      return new ConflictError(code, message, details, options);
    default:
      return new AppError(code, status, message, details, options);
  }
}
