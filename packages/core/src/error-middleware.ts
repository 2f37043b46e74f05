/**
 * Conversion of thrown values into responses. Every error body is created here.
 *
 * @module
 */
import { AppError } from "@kit/errors";

import { environmentOf } from "./environment.ts";
import { temporaryFailure } from "./database-outage.ts";
import { extendedFields, existingLocations } from "./extended-fields.ts";
import type { FailedRequest } from "./failed-request.ts";
import { describeCauses, describeThrown } from "./thrown.ts";

/** Body of every error response. In development, and with a debug sidecar, `error` has more fields. */
export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: object;
    readonly traceId: string;
  };
}

/** Response to a failed request. */
export interface ErrorResponse {
  /** HTTP status, from 400 to 599. */
  readonly status: number;
  /** Response body, sent as JSON. */
  readonly body: ErrorBody;
}

/** Function that creates the response to a failed request. */
export type ErrorMiddleware = (error: unknown, request: FailedRequest) => ErrorResponse;

/**
 * Functions that {@link createErrorMiddleware} created. `createApp` refuses them in a list of middleware,
 * because the pipeline would call them with the wrong arguments.
 */
export const errorMiddlewareMark: WeakSet<object> = new WeakSet();

/** Options of {@link createErrorMiddleware}. */
export interface ErrorMiddlewareOptions {
  /**
   * True to include details for developers in responses: messages and stacks of unknown errors, and locations in the
   * source code. Default: true if `NODE_ENV` is `development`. If false, a plugin may still add
   * {@link FailedRequest.errorFields}.
   */
  readonly isDev?: boolean;
}

/**
 * Creates the function that converts a failure into a response. `createApp` creates one by default. Create your own to
 * set `isDev` independently of the environment, or to wrap the function.
 *
 * - An application error (`AppError`) is sent unchanged, with its status.
 * - A request that breaks its contract results in 400 `VALIDATION_ERROR` with `details.fields`.
 * - An error of a database driver that cannot reach its database results in 503 `SERVICE_UNAVAILABLE`, and kit adds
 *   `Retry-After`.
 * - A deadlock, a serialization failure, or a lock of PostgreSQL that was not free results in 503 `TRANSACTION_CONFLICT`,
 *   and kit adds `Retry-After`.
 * - Any other error results in 500 `INTERNAL_SERVER_ERROR`. For this error and for failures of the database, the
 *   message, the stack and the causes are sent in development only.
 *
 * @param options - Options, all of which have defaults.
 * @example
 * ```ts
 * createApp({
 *   server: nativeServer(),
 *   routes,
 *   errorMiddleware: createErrorMiddleware({ isDev: process.env.STAGE === "preview" }),
 * });
 * ```
 */
export function createErrorMiddleware(options: ErrorMiddlewareOptions = {}): ErrorMiddleware {
  const isDev = options.isDev ?? environmentOf() === "development";
  const errorMiddleware: ErrorMiddleware = (error, request) => {
    const { traceId } = request;
    const isApplicationError = AppError.isAppError(error);
    const temporary = isApplicationError ? undefined : temporaryFailure(error);
    const status = isApplicationError ? error.status : temporary === undefined ? 500 : 503;
    const visible = isApplicationError
      ? error
      : describeUnknownError(error, isDev, temporary === undefined ? internal : ofDatabase[temporary]);
    const { code, message } = visible;
    const fields = isDev ? "all" : (request.errorFields ?? "none");
    const details = fields === "all" ? withHandler(visible.details, request) : visible.details;
    return {
      status,
      body: {
        error: {
          code,
          message,
          ...(details !== undefined && { details }),
          traceId,
          ...(fields !== "none" && extendedFields(error, status, request, fields)),
        },
      },
    };
  };
  errorMiddlewareMark.add(errorMiddleware);
  return errorMiddleware;
}

/**
 * Code and message that the client receives for an error that is not an `AppError`. The message of the error itself may
 * contain names of hosts, tables and files.
 */
interface PublicError {
  readonly code: string;
  readonly message: string;
}

const internal: PublicError = { code: "INTERNAL_SERVER_ERROR", message: "Internal Server Error" };
const ofDatabase: Readonly<Record<"outage" | "conflict", PublicError>> = {
  outage: { code: "SERVICE_UNAVAILABLE", message: "Service Unavailable" },
  conflict: {
    code: "TRANSACTION_CONFLICT",
    message: "Another request uses the same data at the moment; send this request again",
  },
};

function describeUnknownError(
  error: unknown,
  isDev: boolean,
  fallback: PublicError,
): { code: string; message: string; details?: object } {
  const { code } = fallback;
  if (!isDev) return fallback;
  const { message, name, stack } = describeThrown(error);
  const causes = describeCauses(error);
  return {
    code,
    message,
    details: {
      name,
      // The message of a query builder's error names the query. The reason for the failure is in the cause.
      ...(causes.length > 0 && { causes }),
      ...(stack !== undefined && { stack }),
    },
  };
}

/**
 * Adds the location of the handler and the tests of the route to the details of an error. Properties that the
 * application set itself are not replaced.
 */
function withHandler(details: object | undefined, request: FailedRequest): object | undefined {
  const where = handlerOf(request);
  if (where === undefined) return details;
  if (details === undefined) return where;
  const prototype: unknown = Object.getPrototypeOf(details);
  // An array or a class instance is sent unchanged, because it may define its own JSON.
  if ((prototype !== Object.prototype && prototype !== null) || "toJSON" in details) return details;
  return { ...details, ...where, ...details };
}

/** Returns the location of the handler that failed, and the tests of its route. */
function handlerOf(request: FailedRequest): object | undefined {
  if (request.phase !== "handler" || request.route === null) return undefined;
  const { handler, tests } = existingLocations(request.route, request);
  return { ...(handler && { handler }), relatedTests: tests };
}
