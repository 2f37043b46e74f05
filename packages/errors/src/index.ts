/**
 * Errors that become answers: throw one anywhere beneath a handler, and the client gets its status, code and message.
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
