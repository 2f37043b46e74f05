/**
 * Runtime of kit: `createApp`, handlers, middleware, and the pipeline that runs every request.
 *
 * @module
 */
export { createApp } from "./app/app.ts";
export {
  type ApiOptions,
  declareApi,
  declareContracts,
  type DeclaredContracts,
  type DeclaredGroup,
  declareMiddleware,
  declareWrapper,
} from "./app/declare-api.ts";
export type { App, AppCloseOptions } from "./app/app-interface.ts";
export type { CookieKeyOptions } from "./app/cookies-option.ts";
export type { CookieOptions } from "./cookies/cookie-options.ts";
export type { DocsOptions } from "./app/docs-option.ts";
export type { AppListenOptions } from "./app/listen-options.ts";
export type { NotAddedByMiddleware } from "./app/group-check.ts";
export type { AppOptions, LoggingOptions, RouteGroup, RouteOptions } from "./app/options.ts";
export { env, type EnvOptions } from "./app/env.ts";
export type { Environment } from "./environment.ts";
export type { PrometheusOptions, TelemetryOptions } from "./app/telemetry-options.ts";
export type { ContentCoding } from "./edge/accept-encoding.ts";
export type { CompressionOptions } from "./edge/compression.ts";
export type { SocketsOptions } from "./sockets/sockets-options.ts";
export type { RequestLogOptions } from "./request/request-log.ts";
export type { CsrfOptions, CsrfTokenOptions } from "./edge/csrf.ts";
export type { EtagOptions } from "./edge/conditional.ts";
export {
  type ConditionalRequest,
  type CurrentVersion,
  preconditionsHold,
} from "./edge/preconditions-hold.ts";
export type { CorsOptions } from "./edge/cors.ts";
export type { StaticFilesOptions } from "./files/static-files.ts";
export type { SecurityHeadersOptions } from "./edge/security-headers.ts";
export type { HealthCheck, HealthOptions } from "./request/health.ts";
export type { ForwardingHeader } from "./request/forwarded.ts";
export type { TrustedProxies, TrustProxy } from "./request/trust-proxy.ts";
export type { Plugin, PluginHost, PluginRedactor } from "./app/plugin.ts";
export type { SchemaChange } from "./app/schema-watch.ts";
export {
  createErrorMiddleware,
  type ErrorResponse,
  type ErrorBody,
  type ErrorMiddleware,
  type ErrorMiddlewareOptions,
} from "./error-middleware.ts";
export {
  defineErrorFormat,
  type ErrorFormat,
  type ErrorFormatOptions,
  type ErrorPaths,
  type PathTo,
} from "./errors/error-format.ts";
export type { ErrorsOptions } from "./app/errors-option.ts";
export type { FailureDescription, InvalidField } from "./errors/failure-description.ts";
export type { ProblemDetails } from "./errors/problem-details.ts";
export type { ErrorFields, FailedRequest, RequestFailure } from "./failed-request.ts";
export {
  type AnyContract,
  type AnyHandlers,
  type ContractGroup,
  type DeclaredFail,
  defineHandlers,
  type Handler,
  type HandlerInput,
  type Handlers,
  type ReplyFunction,
} from "./request/handlers.ts";
export type {
  Failure,
  FinishedRequestView,
  CallObserver,
  CallStart,
  ErrorRecord,
  LifecyclePhase,
  LifecycleTrace,
  Reply,
  RequestHistory,
  RequestObserver,
  RequestRecord,
  Route,
  RouteContract,
  RunningCall,
  RunningSpan,
  SpanRecord,
} from "@kit/types";
export { invalidHeader, requestFingerprint, sendStored, storeAnswer } from "./request/stored-answer.ts";
export type { StoredAnswer } from "./request/stored-result.ts";
export type { LogEntry, Logger, LogLevel } from "./logging/log-entry.ts";
export {
  type AddedProperties,
  type AnyMiddleware,
  defineMiddleware,
  type Middleware,
  type MiddlewareEntry,
  type MiddlewareInput,
  type MiddlewareItem,
} from "./request/middleware.ts";
export {
  type AnswerHeaders,
  defineWrapper,
  type Next,
  type PassedAnswer,
  type WrapperFunction,
  type WrapperInput,
} from "./request/wrapper.ts";
export type { AnyWrapper, Wrapper } from "./request/wrapper-object.ts";
export {
  download,
  type DownloadFile,
  type DownloadOptions,
  type DownloadResponse,
  type DownloadSource,
} from "./request/download.ts";
export type { RawBody, RawResponse, SendOptions, StreamSource } from "./request/raw-response.ts";
export { sharedEvent } from "./bodies/shared-event.ts";
export { type OpenSocket, SocketClosedError } from "./sockets/socket-messages.ts";
export type { TraceHeaders } from "./request/trace-headers.ts";
export type {
  AnyFail,
  BaseContext,
  PlainResponse,
  RequestContext,
  RequestHeaders,
  Span,
} from "./request/request-context.ts";
export type { ClientCertificate } from "./request/client-certificate.ts";
