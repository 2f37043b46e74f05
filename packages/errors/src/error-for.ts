import { AppError } from "./app-error.ts";
import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
  ValidationError,
} from "./subclasses.ts";

/**
 * Makes the error of a status: the subclass where there is one, else an {@link AppError}. `ctx.fail` throws what this gives.
 *
 * @example
 * ```ts
 * errorFor(404, "USER_NOT_FOUND", "No such user") instanceof NotFoundError; // true
 * errorFor(429, "TOO_MANY_REQUESTS", "Wait a minute").status; // 429
 * ```
 * @throws {RangeError} where `status` is not an integer from 400 to 599.
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
