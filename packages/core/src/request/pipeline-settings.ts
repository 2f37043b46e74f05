import type { Cookies } from "../cookies/cookies.ts";
import type { Conditional } from "../edge/conditional.ts";
import type { ErrorMiddleware } from "../error-middleware.ts";
import type { ErrorWriter } from "../errors/error-writer.ts";
import type { ErrorFields, RequestFailure } from "../failed-request.ts";
import type { Log } from "../logging/log.ts";
import type { LogLevel } from "../logging/log-entry.ts";
import type { ServerRefusalLog } from "../logging/server-refusal-log.ts";
import type { Recorder } from "../observe/recorder.ts";
import type { RequestMeter } from "../observe/request-meter.ts";
import type { InvalidResponseLog } from "./invalid-response-log.ts";
import type { IgnoredInput } from "./ignored-input.ts";
import type { ReadSockets } from "../sockets/sockets-options.ts";
import type { InFlight } from "./in-flight.ts";
import type { RefusedRequestLog } from "./refused-request-log.ts";
import type { RequestLog } from "./request-log.ts";
import type { RequestOrigin } from "./request-origin.ts";
import type { FindAddress } from "./trust-proxy.ts";

/** Settings that all requests of an application share. */
export interface PipelineSettings {
  /** Name of the server adapter. */
  readonly serverAdapter: string;
  readonly errorMiddleware: ErrorMiddleware;
  /**
   * Writes error bodies in the format of the option `errors`. `null` if error bodies are sent as the error
   * middleware returns them.
   */
  readonly errorWriter: ErrorWriter | null;
  /**
   * True if nothing can see the errors of refused requests except the log: error bodies have kit's format without additional fields, the
   * error middleware is kit's own, and no plugin observes errors or requests.
   */
  readonly hasPlainErrors: boolean;
  /** Additional fields of error bodies that plugins request. */
  readonly errorFields: ErrorFields;
  /** Absolute path of the project. The source paths of routes are relative to it. */
  readonly projectRoot: string;
  /**
   * True to check each response against its contract before it is serialized. The check walks the response a second
   * time.
   */
  readonly checkResponses: boolean;
  /** Warns about input that no contract declares. `null` outside of development. */
  readonly ignoredInput: IgnoredInput | null;
  readonly log: Log;
  /** Level of errors with a status below 500 that middleware or a handler throws. */
  readonly clientErrors: LogLevel;
  readonly refusedRequests: RefusedRequestLog;
  /** Entity tags and preconditions. `null` if the option `etag` is off. */
  readonly conditional: Conditional | null;
  /** Logs each request. `null` if the option `requestLog` is off. */
  readonly requestLog: RequestLog | null;
  readonly findAddress: FindAddress;
  readonly origin: RequestOrigin;
  /** Writer of the cookies that middleware and handlers set. */
  readonly cookies: Cookies;
  readonly inFlight: InFlight;
  /** Options of WebSockets. */
  readonly sockets: ReadSockets;
  readonly breaches: InvalidResponseLog;
  readonly refusals: ServerRefusalLog;
  /** Listeners for failed requests, called before the error response is sent. */
  readonly onError: readonly ((error: unknown, request: RequestFailure) => void)[];
  /** Records requests. `null` if no plugin observes them. */
  readonly recorder: Recorder | null;
  /** Measures requests. `null` if no plugin has the function `observe.onEnd`. */
  readonly meter: RequestMeter | null;
}
