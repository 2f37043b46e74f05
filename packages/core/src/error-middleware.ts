/**
 * From whatever was thrown to an answer: the one place where the error envelope is made.
 *
 * @module
 */
import { AppError } from "@kit/errors";
import type { CompiledRoute } from "@kit/types";

import { environmentOf } from "./app/environment.ts";
import { isDatabaseOutage } from "./database-outage.ts";
import { extendedFields, placesOnDisk } from "./extended-fields.ts";
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
  /** What a plugin wants error bodies to tell in production too; default `none`. */
  readonly errorFields?: ErrorFields;
}

/**
 * What stands in an error body beside code, message, details and trace id.
 *
 * - `public`: what a client knows or may know: status, phase, route, the type and the rules that were not kept, request id, server, time.
 * - `all`: also where in the project things are, as in development: source file, schema file, related tests.
 */
export type ErrorFields = "none" | "public" | "all";

/** The one form of every error body. In development, and beside a debug sidecar, more fields stand inside `error`. */
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
   * true if `NODE_ENV` is `development`. If it is false, a plugin may still add {@link FailedRequest.errorFields}.
   */
  readonly isDev?: boolean;
}

/**
 * Makes the function that turns a failure into an answer. `createApp` makes one by itself; make your own to set `isDev`
 * apart from the environment, or to wrap it.
 *
 * - An application error (`AppError`) is sent as it is, with its status.
 * - A request that does not fit its contract is 400 `VALIDATION_ERROR` with `details.fields`.
 * - An error of a database driver that cannot reach its database is 503 `SERVICE_UNAVAILABLE`, and kit adds `Retry-After`.
 * - Anything else is 500 `INTERNAL_SERVER_ERROR`. Its message, stack and causes are sent in development only, as those of an outage are.
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
  const isDev = options.isDev ?? environmentOf() === "development";
  const errorMiddleware: ErrorMiddleware = (error, request) => {
    const { traceId } = request;
    const known = AppError.isAppError(error);
    const isOutage = !known && isDatabaseOutage(error);
    const status = known ? error.status : isOutage ? 503 : 500;
    const told = known ? error : unknownError(error, isDev, isOutage ? outage : internal);
    const { code, message } = told;
    const fields = isDev ? "all" : (request.errorFields ?? "none");
    const details = fields === "all" ? withHandler(told.details, request) : told.details;
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

/** Message to a client about an error that is not the application's own: the error's message names hosts, tables and files. */
interface Public {
  readonly code: string;
  readonly message: string;
}

const internal: Public = { code: "INTERNAL_SERVER_ERROR", message: "Internal Server Error" };
const outage: Public = { code: "SERVICE_UNAVAILABLE", message: "Service Unavailable" };

function unknownError(
  error: unknown,
  isDev: boolean,
  shown: Public,
): { code: string; message: string; details?: object } {
  const { code } = shown;
  if (!isDev) return shown;
  const { message, name, stack } = describeThrown(error);
  const causes = describeCauses(error);
  return {
    code,
    message,
    details: {
      name,
      // A query builder says which query failed; why it did stands in the cause.
      ...(causes.length > 0 && { causes }),
      ...(stack !== undefined && { stack }),
    },
  };
}

/** The details of an error with the handler that threw it. What the application says under the same names stays. */
function withHandler(details: object | undefined, request: FailedRequest): object | undefined {
  const where = handlerOf(request);
  if (where === undefined) return details;
  if (details === undefined) return where;
  const prototype: unknown = Object.getPrototypeOf(details);
  // A list or a value of a class is sent as it is: its JSON is its own affair.
  if ((prototype !== Object.prototype && prototype !== null) || "toJSON" in details) return details;
  return { ...details, ...where, ...details };
}

/** The handler that failed, and the tests of its route. */
function handlerOf(request: FailedRequest): object | undefined {
  if (request.phase !== "handler" || request.route === null) return undefined;
  const { handler, tests } = placesOnDisk(request.route, request);
  return { ...(handler && { handler }), relatedTests: tests };
}
