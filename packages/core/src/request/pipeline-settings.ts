import type { RequestFailure } from "../app/plugin.ts";
import type { ErrorFields, ErrorMiddleware } from "../error-middleware.ts";
import type { Log } from "../logging/log.ts";
import type { LogLevel } from "../logging/log-entry.ts";
import type { RefusalLog } from "../logging/refusal-log.ts";
import type { Recorder } from "../observe/recorder.ts";
import type { ContractBreaches } from "./contract-breaches.ts";
import type { IgnoredInput } from "./ignored-input.ts";
import type { InFlight } from "./in-flight.ts";
import type { RefusedRequests } from "./refused-requests.ts";
import type { FindAddress } from "./trust-proxy.ts";

/** What all requests of an application have in common. */
export interface PipelineSettings {
  /** The server adapter's name. */
  readonly serverAdapter: string;
  readonly errorMiddleware: ErrorMiddleware;
  /** What plugins want error bodies to tell. */
  readonly errorFields: ErrorFields;
  /** The project's directory. */
  readonly projectRoot: string;
  /** Whether a response is held against its contract before it is written; costs a second walk of it. */
  readonly checkResponses: boolean;
  /** Warns of what no contract reads; there only in development. */
  readonly ignoredInput: IgnoredInput | null;
  readonly log: Log;
  /** Level of errors below 500 that middleware or a handler throws. */
  readonly clientErrors: LogLevel;
  readonly refusedRequests: RefusedRequests;
  readonly findAddress: FindAddress;
  readonly inFlight: InFlight;
  readonly breaches: ContractBreaches;
  readonly refusals: RefusalLog;
  /** Told of every failure that becomes an answer. */
  readonly onError: readonly ((error: unknown, request: RequestFailure) => void)[];
  /** Notes what becomes of requests; there only where somebody looks. */
  readonly recorder: Recorder | null;
}
