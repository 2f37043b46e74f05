/**
 * Typed client of an API made with kit, for browsers and Node.
 *
 * @module
 */

export { createClient } from "./client.ts";
export { ApiError, isApiError } from "./error.ts";
export type { ClientOptions, CodecsOption, Interceptor, RequestOptions, RetryOptions } from "./options.ts";
export type { ApiEvent, ApiEvents, ByteRange, BytesBody, LinesBody } from "./body-types.ts";
export type { BodyFormats, RequestFormat, ResponseFormat } from "./body-format.ts";
export type { ApiErrors, Codec, Generated, NamedCodecs } from "./codec.ts";
export type { Codecs, ReplyCodec } from "./codecs.ts";
export type {
  ApiSocket,
  ApiSocketRoute,
  MessageKind,
  MessageKinds,
  OpenSocket,
  SocketClose,
} from "./socket-types.ts";
export type {
  ApiCall,
  ApiFailure,
  ApiReply,
  ApiRoute,
  Client,
  CommonFailure,
  ErrorOf,
  Failure,
  InputOf,
  InvalidField,
  MissingScopes,
  OperationMethods,
  OtherCode,
  OutputOf,
  Result,
  Route,
  ValidationLimitValue,
  ValidationRule,
  Wire,
} from "./types.ts";
