/**
 * Types that all kit packages share. The module has no code, so an import of it costs nothing at run time.
 *
 * @module
 */
export type { ApiDocs, ApiDocsFile, ApiDocsLinks } from "./api-docs.ts";
export type { Auth } from "./auth.ts";
export type {
  CompiledApplication,
  CompiledBody,
  CompiledContent,
  CompiledScopes,
  CompiledProtocols,
  CompiledSocket,
  MessageKind,
  MessageKinds,
  CompiledEnvironment,
  CompiledJob,
  CompiledJobs,
  CompiledFilePart,
  CompiledHandler,
  CompiledReply,
  CompiledRoute,
  CompiledRouteNode,
  CompiledRouteTree,
  RouteTableEntry,
} from "./compiled.ts";
export type {
  AnyBodyFormat,
  AnyFailure,
  AnyReply,
  AnyScopes,
  Bytes,
  ChunkedBody,
  Chunks,
  Download,
  EventOf,
  Events,
  Failure,
  Form,
  Json,
  Lines,
  MessageOf,
  Scopes,
  Socket,
  Multipart,
  Raw,
  Reply,
  Route,
  RouteContract,
  RouteKey,
  Text,
  Upload,
  UploadDestination,
  Uploads,
} from "./contract.ts";
export type { Cursor, CursorQuery } from "./cursor.ts";
export type { Decimal } from "./decimal.ts";
export type { RespondedRequest, BuildState, DevelopmentLink } from "./development.ts";
export type { LogEntry, Logger, LogLevel } from "./log.ts";
export type {
  FinishedRequestView,
  AttributeValue,
  CallObserver,
  CallStart,
  ErrorRecord,
  LifecyclePhase,
  LifecycleTrace,
  ReceivedRequest,
  RequestFault,
  RequestHistory,
  RequestObserver,
  RequestRecord,
  RunningCall,
  RunningSpan,
  SamplingInput,
  SpanRecord,
  StreamCount,
  StreamEnd,
  StreamLimits,
  StreamMessage,
  StreamRecord,
} from "./observe.ts";
export type {
  JobFailure,
  JobScheduleReport,
  JobsReport,
  JobsSource,
  JobWorker,
  QueueReport,
} from "./jobs.ts";
export type {
  ExportCounts,
  PrometheusSettings,
  Telemetry,
  TelemetryCounts,
  TelemetryExporter,
  TelemetryHost,
  TelemetryModule,
  TelemetrySettings,
} from "./telemetry.ts";
export type {
  PassedRequest,
  TestedMessage,
  TestedResponse,
  TestedRequest,
  TestLink,
  TestRecorder,
} from "./testing.ts";
export type {
  Coercer,
  HeaderWriter,
  Serializer,
  ValidationFailure,
  ValidationLimit,
  ValidationLimitValue,
  ValidationRule,
  Validator,
} from "./codec.ts";
export type { FileSite, ServedFiles } from "./files.ts";
export type {
  BodyLimits,
  RequestBodyErrorCode,
  RequestBodyReader,
  StreamedBodies,
  CloseOptions,
  PlainServer,
  ErrorBodies,
  ErrorBodyPart,
  ErrorBodySource,
  ResponseBody,
  ResponseRules,
  ResponseStreamEvents,
  ResponseWriter,
  RouteMatch,
  ServerAdapter,
  ServerExchange,
  ServerLimits,
  ServerAnswer,
  ServerRefusal,
  ServerService,
  ServerWorker,
  SupervisorLog,
} from "./server.ts";
export type { ServerSocket, SocketEvents, SocketOptions } from "./server-socket.ts";
export type { NodeRedisClient, ValkeyClient } from "./valkey.ts";
export type { ListenAddress, ListenOptions, TlsOptions } from "./listen.ts";
