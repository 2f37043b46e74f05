/**
 * From whatever was thrown to an answer: the one place where the error envelope is made.
 *
 * @module
 */
import { AppError } from "@kit/errors";
import type { CompiledRoute } from "@kit/types";

import { developmentFields, placesOnDisk } from "./development-fields.ts";
import { describeCauses, describeThrown } from "./thrown.ts";

/** What the error middleware knows about the request that failed. */
export interface FailedRequest {
  readonly traceId: string;
  readonly requestId: string;
  /** The phase that failed: `validation:body`, `middleware:auth`, `handler`. */
  readonly phase: string;
  /** Nothing where no route matched. */
  readonly route: CompiledRoute | null;
  /** The server adapter's name. */
  readonly serverAdapter: string;
  /** The directory that the paths of {@link CompiledRoute.source} start from; default the working directory. */
  readonly projectRoot?: string;
}

/** The one form of every error body. In development more fields stand inside `error`. */
export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: object;
    readonly traceId: string;
  };
}

/** How a failure is answered. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: ErrorBody;
}

/** Makes the answer to a failure. */
export type ErrorMiddleware = (error: unknown, request: FailedRequest) => ErrorAnswer;

/** Which functions are error middleware: listed among the others, one would be called with the wrong arguments. */
export const errorMiddlewareMark: WeakSet<object> = new WeakSet();

/** Options of {@link createErrorMiddleware}. */
export interface ErrorMiddlewareOptions {
  /**
   * Whether answers tell what helps a developer: messages and stacks of unknown errors, and where things are. Default:
   * whether `NODE_ENV` is `development`.
   */
  readonly isDev?: boolean;
}

/**
 * Makes the function that turns a failure into an answer. `createApp` makes one by itself; make your own to set `isDev`
 * apart from the environment, or to wrap it.
 *
 * - An application error (`AppError`) is sent as it is, with its status.
 * - A request that does not fit its contract is 400 `VALIDATION_ERROR` with `details.fields`.
 * - Anything else is 500 `INTERNAL_SERVER_ERROR`; its message, stack and causes are sent in development only.
 *
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
  const isDev = options.isDev ?? process.env["NODE_ENV"] === "development";
  const errorMiddleware: ErrorMiddleware = (error, request) => {
    const { traceId } = request;
    const known = AppError.isAppError(error);
    const status = known ? error.status : 500;
    const { code, message, details } = known ? error : unknownError(error, request, isDev);
    return {
      status,
      body: {
        error: {
          code,
          message,
          ...(details !== undefined && { details }),
          traceId,
          ...(isDev && developmentFields(error, status, request)),
        },
      },
    };
  };
  errorMiddlewareMark.add(errorMiddleware);
  return errorMiddleware;
}

function unknownError(
  error: unknown,
  request: FailedRequest,
  isDev: boolean,
): { code: string; message: string; details?: object } {
  const code = "INTERNAL_SERVER_ERROR";
  if (!isDev) return { code, message: "Internal Server Error" };
  const { message, name, stack } = describeThrown(error);
  const causes = describeCauses(error);
  const places =
    request.phase === "handler" && request.route ? placesOnDisk(request.route, request) : undefined;
  return {
    code,
    message,
    details: {
      name,
      // A query builder says which query failed; why it did stands in the cause.
      ...(causes.length > 0 && { causes }),
      ...(stack !== undefined && { stack }),
      ...(places && { ...(places.handler && { handler: places.handler }), relatedTests: places.tests }),
    },
  };
}
