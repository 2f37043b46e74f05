import type { CompiledRoute } from "@kit/types";

/** Request that failed, as the error middleware receives it. */
export interface FailedRequest {
  /** Trace id of the request: 32 hexadecimal digits. */
  readonly traceId: string;
  /** Id of the request in logs. */
  readonly requestId: string;
  /** Phase that failed: `validation:body`, `middleware:auth`, `handler`. */
  readonly phase: string;
  /** Route of the request. `null` if no route matched. */
  readonly route: CompiledRoute | null;
  /** Name of the server adapter. */
  readonly serverAdapter: string;
  /** Directory to which the paths of {@link CompiledRoute.source} are relative. Default: the working directory. */
  readonly projectRoot?: string;
  /** Additional fields of error bodies that a plugin requests, also in production. Default `none`. */
  readonly errorFields?: ErrorFields;
}

/** Failed request with its method and path, as plugins receive it. */
export interface RequestFailure extends FailedRequest {
  /** Method of the request, in upper case. */
  readonly method: string;
  /** Path in the normal form, without the query. */
  readonly path: string;
}

/**
 * Additional fields of an error body, next to code, message, details and trace id.
 *
 * - `none`: no additional fields.
 * - `public`: information that the client may know anyway: status, phase, route, the broken type and rules,
 *   request id, server, time.
 * - `all`: also the locations in the project, as in development: source file, schema file, related tests, and the handler
 *   in `details`.
 */
export type ErrorFields = "none" | "public" | "all";
