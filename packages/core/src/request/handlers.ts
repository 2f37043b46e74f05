/**
 * Handlers and their types. The contract of a route determines the type of the handler's input and result.
 *
 * @module
 */
import type {
  AnyBodyFormat,
  AnyFailure,
  AnyReply,
  AnyScopes,
  Auth,
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
  Multipart,
  Raw,
  Socket,
  Text,
} from "@kit/types";

import type { OpenSocket } from "../sockets/socket-messages.ts";
import type { DownloadResponse } from "./download.ts";
import type { RawResponse } from "./raw-response.ts";
import type { AnyFail, BaseContext, PlainResponse, RequestContext } from "./request-context.ts";

/** Contract of any route. */
export interface AnyContract {
  params: unknown;
  query: unknown;
  headers?: unknown;
  cookies?: unknown;
  body: unknown;
  response: unknown;
  socket?: unknown;
  errors?: unknown;
  auth?: unknown;
}

/** Type of one part of a contract. `void` if the contract does not have the part. */
type Part<TContract, TName extends string> = TName extends keyof TContract ? TContract[TName] : void;

/** Interface whose property names are route keys (`GET /notes`) and whose property types are contracts. */
export type ContractGroup<TRoutes> = { readonly [TKey in keyof TRoutes]: AnyContract };

/** True if a type is exactly `void`, so that the contract leaves it out. `undefined` and `never` are different. */
type IsVoid<T> = [T] extends [void] ? ([void] extends [T] ? true : false) : false;

/** True if the response of a contract consists of replies. A union with a plain type is refused by `kit build`. */
type HasReplies<TResponse> = 0 extends 1 & TResponse
  ? false
  : [TResponse] extends [never]
    ? false
    : [TResponse] extends [AnyReply]
      ? true
      : false;

/** Value that the handler receives for a body of a contract. For a union of formats, the value has its media type beside it. */
export type BodyInput<TBody> = 0 extends 1 & TBody
  ? TBody
  : [Extract<TBody, AnyBodyFormat>] extends [never]
    ? TBody
    : IsUnion<TBody> extends true
      ? TypedBody<TBody>
      : BodyValue<TBody>;

/** True if a type is a union of several members. */
type IsUnion<T, TAll = T> = (T extends unknown ? ([TAll] extends [T] ? false : true) : never) extends false
  ? false
  : true;

type BodyValue<TBody> =
  TBody extends Json<infer TValue>
    ? TValue
    : TBody extends Form<infer TContent> | Multipart<infer TContent>
      ? TContent
      : TBody extends Raw<string> | Bytes<string>
        ? Uint8Array
        : TBody extends Text<string>
          ? string
          : TBody extends Lines<infer TLine>
            ? AsyncIterable<TLine>
            : TBody extends Chunks<string>
              ? ChunkedBody
              : never;

/** Values of a union of formats, with their media types. All types of values together are JSON. */
type TypedBody<TBody> =
  | (TBody extends AnyBodyFormat ? Typed<MediaTypeOf<TBody>, BodyValue<TBody>> : never)
  | ([Exclude<TBody, AnyBodyFormat>] extends [never]
      ? never
      : Typed<"application/json", Exclude<TBody, AnyBodyFormat>>);
interface Typed<TType extends string, TValue> {
  /** Media type of the request, without parameters. */
  readonly type: TType;
  readonly value: TValue;
}

/** Media type of a format. A range such as `image/*` is a template: `image/${string}`. */
type MediaTypeOf<TFormat> =
  TFormat extends Form<object>
    ? "application/x-www-form-urlencoded"
    : TFormat extends Multipart<object>
      ? "multipart/form-data"
      : TFormat extends Raw<infer TName> | Chunks<infer TName> | Text<infer TName> | Bytes<infer TName>
        ? TName extends `${infer TKind}/*`
          ? `${Lowercase<TKind>}/${string}`
          : Lowercase<TName>
        : TFormat extends Lines<unknown>
          ? "application/jsonl"
          : TFormat extends Events<object>
            ? "text/event-stream"
            : "application/json";

/**
 * Value that the handler returns for a response of a contract. For a union of formats, an object with one function for each
 * media type: kit calls the function of the media type that the header `accept` chooses.
 */
export type ResponseOutput<TResponse> = 0 extends 1 & TResponse
  ? TResponse
  : [TResponse] extends [never]
    ? never
    : [Extract<TResponse, AnyBodyFormat>] extends [never]
      ? TResponse
      : IsUnion<TResponse> extends true
        ? {
            readonly [TName in MediaTypeOf<TResponse>]: () => Later<ContentOf<TResponse, TName>>;
          }
        : ResponseValue<TResponse>;

type Later<T> = T | Promise<T>;

/** Value of the members of a union of formats that have a media type. */
type ContentOf<TResponse, TName> = TResponse extends unknown
  ? MediaTypeOf<TResponse> extends TName
    ? TResponse extends AnyBodyFormat
      ? ResponseValue<TResponse>
      : TResponse
    : never
  : never;

type ResponseValue<TResponse> =
  TResponse extends Json<infer TValue>
    ? TValue
    : TResponse extends Text<string>
      ? string | AsyncIterable<string>
      : TResponse extends Bytes<string>
        ? Uint8Array | AsyncIterable<Uint8Array>
        : TResponse extends Download<string>
          ? DownloadResponse | Uint8Array
          : TResponse extends Lines<infer TLine>
            ? Iterable<TLine> | AsyncIterable<TLine>
            : TResponse extends Events<infer TEvents>
              ? AsyncIterable<EventOf<TEvents>>
              : never;

type SlotName = "params" | "query" | "headers" | "cookies" | "body";

/** Arguments of `reply` after the status: the body and the headers, each only if the contract declares it. */
type ReplyArguments<TReply> = TReply extends { readonly body: infer TBody; readonly headers: infer THeaders }
  ? IsVoid<TBody> extends true
    ? HeaderArguments<THeaders>
    : [body: ResponseOutput<TBody>, ...HeaderArguments<THeaders>]
  : never;
type HeaderArguments<THeaders> = [keyof THeaders] extends [never]
  ? []
  : {} extends THeaders
    ? [headers?: THeaders]
    : [headers: THeaders];

/**
 * Function that creates a reply. The arguments after the status are the body, if the reply has one, and the headers, if
 * the reply declares any.
 *
 * @example
 * ```ts
 * "POST /orders": async ({ body, reply }) => {
 *   const order = await place(body);
 *   return order === undefined ? reply(202) : reply(201, order, { location: `/orders/${order.id}` });
 * },
 * ```
 */
export type ReplyFunction<TResponse> = <TStatus extends StatusOf<TResponse>>(
  status: TStatus,
  ...parts: ReplyArguments<Extract<TResponse, { readonly status: TStatus }>>
) => Extract<TResponse, { readonly status: TStatus }>;
type StatusOf<TResponse> = TResponse extends { readonly status: infer TStatus } ? TStatus : never;

/** Member `fail` of `ctx` if the contract declares errors. */
export interface DeclaredFail<TErrors> {
  /**
   * Throws a failure that the contract declares, so the code after the call does not run.
   *
   * @param status - HTTP status of the failure.
   * @param code - Code of the failure.
   * @param message - Message for the client.
   * @param details - Data for the client. Required if the failure declares details, and not allowed otherwise.
   * @throws {AppError} Always.
   */
  fail<TCode extends CodeOf<TErrors>>(
    status: Extract<TErrors, { readonly code: TCode }> extends Failure<infer TStatus, string, object | void>
      ? TStatus
      : never,
    code: TCode,
    message: string,
    ...details: DetailsOf<Extract<TErrors, { readonly code: TCode }>>
  ): never;
}
type CodeOf<TErrors> = TErrors extends { readonly code: infer TCode extends string } ? TCode : never;
type DetailsOf<TFailure> = TFailure extends { readonly details: infer TDetails }
  ? IsVoid<TDetails> extends true
    ? []
    : [details: TDetails]
  : never;

/** `ctx` of the handler of a contract, without the properties that middleware adds. */
type ContextOf<TResponse, TErrors> = [TErrors] extends [AnyFailure]
  ? BaseContext & DeclaredFail<TErrors> & (HasReplies<TResponse> extends true ? unknown : PlainResponse)
  : HasReplies<TResponse> extends true
    ? BaseContext & AnyFail
    : RequestContext;

/** Property `auth` of `ctx` if the contract requires scopes. Middleware adds it. */
type RequiredAuth<TScopes> = [TScopes] extends [AnyScopes]
  ? { readonly auth: Auth<TScopes["names"]> }
  : unknown;

/**
 * Input of the handler of a contract: `params`, `query`, `headers`, `cookies` and `body` if the contract has them,
 * `reply` if the contract declares replies, `socket` if the contract declares a WebSocket, and `ctx` with the properties that middleware adds. `query`, `headers` and
 * `cookies` are always objects, without the optional properties that the client did not send.
 *
 * @example
 * ```ts
 * async function getNote({ params, ctx }: HandlerInput<NoteRoutes["GET /notes/:id"], AuthContext>): Promise<Note> {
 *   ctx.log.debug("Reading a note", { id: params.id, reader: ctx.userId });
 *   return read(params.id);
 * }
 * ```
 */
export type HandlerInput<TContract extends AnyContract, TAdded extends object = {}> = {
  readonly [
    TSlot in SlotName as IsVoid<Part<TContract, TSlot>> extends true ? never : TSlot
  ]: TSlot extends "body" ? BodyInput<Part<TContract, TSlot>> : Part<TContract, TSlot>;
} & {
  /** Context of the request. */
  readonly ctx: ContextOf<TContract["response"], Part<TContract, "errors">> &
    RequiredAuth<Part<TContract, "auth">> &
    TAdded;
} & (HasReplies<TContract["response"]> extends true
    ? {
        /** Creates the answer: one of the replies that the contract declares. */
        readonly reply: ReplyFunction<TContract["response"]>;
      }
    : unknown) &
  (Part<TContract, "socket"> extends Socket<
    infer TMessages extends { in: unknown; out: unknown; protocols?: string }
  >
    ? {
        /** WebSocket of the client. It is closed when the handler ends. */
        readonly socket: OpenSocket<
          MessageOf<TMessages["in"]>,
          MessageOf<TMessages["out"]>,
          ProtocolOf<TMessages>
        >;
      }
    : unknown);

/** Subprotocol of a WebSocket. `undefined` if the contract names none. */
type ProtocolOf<TMessages> = TMessages extends { protocols?: unknown }
  ? "protocols" extends keyof TMessages
    ? TMessages["protocols"]
    : undefined
  : undefined;

/** Result of a handler: a reply, or the response of a contract without replies, or the result of `ctx.send`. */
type Answer<TResponse> =
  HasReplies<TResponse> extends true ? TResponse : ResponseOutput<TResponse> | RawResponse;

/**
 * Function that handles the requests of one contract. Returns the declared response, the result of `ctx.send`, or a
 * promise of either. If the contract declares replies, returns the result of `reply` or a promise of this result.
 * Throws an error to send an error response.
 */
export type Handler<TContract extends AnyContract, TAdded extends object = {}> = (
  input: HandlerInput<TContract, TAdded>,
) => Answer<TContract["response"]> | Promise<Answer<TContract["response"]>>;

/** Map with one handler for each key of a contract group. */
export type Handlers<TRoutes extends ContractGroup<TRoutes>, TAdded extends object = {}> = {
  readonly [TKey in keyof TRoutes]: Handler<TRoutes[TKey], TAdded>;
};

/** Map of handlers of any contract group. */
export type AnyHandlers = Readonly<Record<string, (input: never) => unknown>>;

/**
 * Returns a map of handlers unchanged, and checks its type against its contract group. The map needs a handler for
 * every key of the group.
 *
 * The second type argument declares the properties that middleware adds to `ctx`. A call of `createApp` does not
 * type-check if no middleware of the route group adds them.
 *
 * @param handlers - One handler for each key of the contract group.
 * @example
 * ```ts
 * export const noteHandlers = defineHandlers<NoteRoutes, AuthContext>({
 *   "GET /notes/:id": ({ params }) => read(params.id),
 *   "POST /notes": ({ body, ctx }) => create({ ...body, authorId: ctx.userId }),
 * });
 * ```
 */
export function defineHandlers<TRoutes extends ContractGroup<TRoutes>, TAdded extends object = {}>(
  handlers: Handlers<TRoutes, TAdded>,
): Handlers<TRoutes, TAdded> {
  return handlers;
}
