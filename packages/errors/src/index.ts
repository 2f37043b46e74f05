/**
 * Errors that become responses. Throw one in a handler, a middleware or a function that they call: the client receives
 * its status, code and message.
 *
 * @module
 */
export { AppError } from "./app-error.ts";
export type { AppErrorJson } from "./app-error.ts";
export { errorFor } from "./error-for.ts";
export {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
  ValidationError,
} from "./subclasses.ts";
