/** Parts of a request and its answers that a contract may declare. A part that is left out does not exist. */
interface ContractParts {
  params: unknown;
  query: unknown;
  headers: unknown;
  cookies: unknown;
  body: unknown;
  response: unknown;
  socket: Socket<{ in: unknown; out: unknown; protocols?: string }>;
  errors: AnyFailure;
  auth: AnyScopes;
}

/** Type of a slot of a contract. `void` if the contract does not declare the slot. */
type Part<TParts, TName extends PropertyKey> = TName extends keyof TParts ? TParts[TName] : void;

/**
 * Contract of one route, with its slots by name. A slot that is left out does not exist. Any other name is a type
 * error.
 *
 * @example
 * ```ts
 * interface OrderRoutes {
 *   "POST /orders": Route<{
 *     headers: { "idempotency-key"?: string };
 *     cookies: { sid: string };
 *     body: NewOrder;
 *     response: Reply<201, Order, { location: string }> | Reply<202, Job>;
 *     errors: Failure<409, "SOLD_OUT", { left: number }>;
 *     auth: Scopes<"orders:write">;
 *   }>;
 * }
 * ```
 */
export interface Route<
  TParts extends {
    [TName in keyof TParts]: TName extends keyof ContractParts ? ContractParts[TName] : never;
  },
> {
  /** Path parameters, by name. */
  params: Part<TParts, "params">;
  /** Query keys. */
  query: Part<TParts, "query">;
  /** Request headers, by lower-case name. */
  headers: Part<TParts, "headers">;
  /** Cookies of the request, by name. */
  cookies: Part<TParts, "cookies">;
  /** Body of the request: JSON, or one of the other formats, such as {@link Multipart}. */
  body: Part<TParts, "body">;
  /** Body of the response: JSON, or one of the other formats, such as {@link Text}; or the union of all replies. */
  response: Part<TParts, "response">;
  /** Messages of a WebSocket, for keys with `WS`. Such a contract has no body and no response. */
  socket: Part<TParts, "socket">;
  /** Union of the failures that the handler may send with `ctx.fail`. */
  errors: Part<TParts, "errors">;
  /** Scopes that the caller must have: {@link Scopes}. */
  auth: Part<TParts, "auth">;
}

/**
 * Contract of one route: its params, query, body and response. A slot with the type `void` does not exist. {@link Route}
 * is the general form, in which a contract can also declare headers, cookies, several replies and errors.
 *
 * @example
 * ```ts
 * interface NoteRoutes {
 *   "GET /notes/:id": RouteContract<{ id: string }, void, void, Note>;
 *   "POST /notes": RouteContract<void, void, CreateNoteInput, Note>;
 * }
 * ```
 */
export interface RouteContract<TParams = void, TQuery = void, TBody = void, TResponse = void> {
  /** Path parameters, by name. */
  params: TParams;
  /** Query keys. */
  query: TQuery;
  /** Request headers: none. */
  headers: void;
  /** Cookies: none. */
  cookies: void;
  /** Body of the request: JSON, or one of the other formats, such as {@link Multipart}. */
  body: TBody;
  /** Body of the response: JSON, or one of the other formats, such as {@link Text}. */
  response: TResponse;
  /** WebSocket: none. */
  socket: void;
  /** Failures: `ctx.fail` accepts any status, code and details. */
  errors: void;
  /** Scopes: none. */
  auth: void;
}

declare const replyMark: unique symbol;
declare const failureMark: unique symbol;

/**
 * One reply of a contract: its status, body and headers. A union declares several replies, with different
 * statuses. The handler answers with its input's function `reply`, and cannot create a value of this type itself.
 *
 * @example
 * ```ts
 * type Created = Reply<201, Order, { location: string; etag: string }>;
 * type Moved = Reply<303, void, { location: string }>;
 * ```
 */
export interface Reply<TStatus extends number, TBody = void, THeaders extends object = {}> {
  /** Exists only for the type checker, so that no other value is a reply. */
  readonly [replyMark]: true;
  /** HTTP status. */
  readonly status: TStatus;
  /** Body: JSON, or one of the formats of responses, such as {@link Text}. `void` if the reply has none. */
  readonly body: TBody;
  /** Response headers, by lower-case name. */
  readonly headers: THeaders;
}

/** Reply of any contract. */
export type AnyReply = Reply<number, unknown>;

/**
 * One failure of a contract: its status, its code, and the type of its details. A union declares several failures. The
 * handler answers with `ctx.fail(status, code, message, details)`.
 *
 * @example
 * ```ts
 * type OrderFailure = Failure<409, "SOLD_OUT", { left: number }> | Failure<402, "PAYMENT_FAILED">;
 * ```
 */
export interface Failure<
  TStatus extends number,
  TCode extends string,
  TDetails extends object | void = void,
> {
  /** Exists only for the type checker, so that no other value is a failure. */
  readonly [failureMark]: true;
  /** HTTP status, from 400 to 599. */
  readonly status: TStatus;
  /** Machine-readable code, such as `SOLD_OUT`. */
  readonly code: TCode;
  /** Data for the client. `void` if the failure has none. */
  readonly details: TDetails;
}

/** Failure of any contract. */
export type AnyFailure = Failure<number, string, object | void>;

declare const scopesMark: unique symbol;

/**
 * Scopes that the caller of a route must have, in the slot `auth` of {@link Route}: all scopes of the union. A union of
 * several `Scopes` requires all scopes of at least one of them. A middleware of the route must add `ctx.auth`, with a type
 * that knows these scopes (`Auth`). A caller who lacks a scope gets 403 `INSUFFICIENT_SCOPE` before validation, and
 * the handler does not run.
 *
 * @example
 * ```ts
 * interface OrderRoutes {
 *   "POST /orders": Route<{ body: NewOrder; response: Order; auth: Scopes<"orders:write"> }>;
 *   "DELETE /orders/:id": Route<{
 *     params: { id: string };
 *     auth: Scopes<"orders:read" | "orders:write"> | Scopes<"admin">;
 *   }>;
 * }
 * ```
 */
export interface Scopes<TName extends string> {
  /** Exists only for the type checker, so that no other value declares scopes. */
  readonly [scopesMark]: true;
  /** Names of the scopes. */
  readonly names: TName;
}

/** Scopes of any contract. */
export type AnyScopes = Scopes<string>;

declare const bodyMark: unique symbol;

/**
 * JSON body, equal to the plain type `T`. In a union with other formats, `Json` makes the contract easier to read.
 *
 * A union of formats declares several media types. The content type of a request chooses the format, and the handler
 * receives `{ type, value }`. The header `accept` of a request chooses the format of the response, and the handler returns
 * an object with one function for each media type.
 *
 * @example
 * ```ts
 * type AddOrder = Route<{ body: Json<Order> | Form<Order>; response: Order }>;
 * type Report = Route<{ response: Json<Row[]> | Text<"text/csv"> }>;
 * ```
 */
export interface Json<T> {
  /** Exists only for the type checker, so that no other value is JSON. */
  readonly [bodyMark]: "json";
  /** Value that is sent as JSON. */
  readonly content: T;
}

/**
 * Body in the format `application/x-www-form-urlencoded` (WHATWG URL, 5), which HTML forms send. Fields are converted
 * from text to their types, as in a query. A repeated field is an array. The handler receives `TFields`. Only in requests.
 *
 * @example
 * ```ts
 * type Login = Route<{ body: Form<{ email: string; password: string; remember?: boolean }>; response: Session }>;
 * ```
 */
export interface Form<TFields extends object> {
  /** Exists only for the type checker, so that no other value is a form. */
  readonly [bodyMark]: "form";
  /** Fields, by name. */
  readonly content: TFields;
}

/**
 * Body in the format `multipart/form-data` (RFC 7578), which browsers send for forms with files. A property with the
 * type `File` or `File[]` is a file; `@maxBytes` limits its size and `@mime` its type. A property with a scalar type is
 * a text field, and a property with an object type is JSON. A property with the type {@link Upload} or {@link Uploads}
 * is read while it arrives. The handler receives an object of all parts. Only in requests.
 *
 * @example
 * ```ts
 * interface NewPhoto {
 *   title: string;
 *   // With the doc tags `@maxBytes 5 MiB` and `@mime image/png, image/jpeg`.
 *   photo: File;
 * }
 * type AddPhoto = Route<{ body: Multipart<NewPhoto>; response: Photo }>;
 * ```
 */
export interface Multipart<TParts extends object> {
  /** Exists only for the type checker, so that no other value is a multipart body. */
  readonly [bodyMark]: "multipart";
  /** Parts, by name. */
  readonly content: TParts;
}

/**
 * File of a {@link Multipart} body that the handler reads while the file arrives, so that files of any size need little
 * memory. The file can be read once. The server takes bytes from the client only when the handler reads. What the handler
 * does not read is not received.
 *
 * If the rest of the body breaks the contract, reading throws an error. If the handler has not answered and passes the
 * error on, the client gets 400. If the reading of the last file ends without an error, the whole body was valid.
 *
 * @example
 * ```ts
 * "POST /videos": async ({ body }) => {
 *   await pipeline(body.video, createWriteStream(join(directory, randomUUID())));
 * },
 * ```
 */
export interface Upload extends AsyncIterable<Uint8Array> {
  /** Name that the client gave the file, without a path. */
  readonly name: string;
  /** Media type that the client declared, without parameters. */
  readonly type: string;
  /** Writes the file to a stream of the web platform and closes the stream. An error aborts the stream. */
  pipeTo(destination: UploadDestination): Promise<void>;
}

/** Stream to which {@link Upload.pipeTo} writes, such as a `WritableStream<Uint8Array>` of the web platform. */
export interface UploadDestination {
  /** Locks the stream and returns its writer. */
  getWriter(): {
    write(chunk: Uint8Array): Promise<void>;
    close(): Promise<void>;
    abort(reason?: unknown): Promise<void>;
    releaseLock(): void;
  };
}

/**
 * Files of a {@link Multipart} body with one name, which the handler reads one after the other, in the order of the client.
 * If the handler asks for the next file, kit skips the unread rest of the current file.
 *
 * @example
 * ```ts
 * for await (const video of body.videos) await store(video.name, video);
 * ```
 */
export interface Uploads extends AsyncIterable<Upload> {}

/**
 * Body whose bytes the handler receives unchanged, as a `Uint8Array`. The signature of a webhook is checked against
 * these bytes. `TMediaType` is the media type that the request must have, a union of them, or a range such as `image/*`.
 * Only in requests.
 *
 * @example
 * ```ts
 * type Webhook = Route<{ headers: { "x-signature": string }; body: Raw<"application/json"> }>;
 * ```
 */
export interface Raw<TMediaType extends string = "*/*"> {
  /** Exists only for the type checker, so that no other value is a raw body. */
  readonly [bodyMark]: "raw";
  /** Media types or ranges of the request. */
  readonly mediaType: TMediaType;
}

/**
 * Body whose bytes the handler reads while they arrive, so that bodies of any size need little memory. `TMediaType` is the media
 * type that the request must have, a union of them, or a range such as `video/*`. The option `limits.bodyBytes` of the route
 * limits the size. The handler receives {@link ChunkedBody}. Only in requests.
 *
 * @example
 * ```ts
 * type AddVideo = Route<{ params: { id: string }; body: Chunks<"video/mp4">; response: Video }>;
 * ```
 */
export interface Chunks<TMediaType extends string = "*/*"> {
  /** Exists only for the type checker, so that no other value is a body in chunks. */
  readonly [bodyMark]: "chunks";
  /** Media types or ranges of the request. */
  readonly mediaType: TMediaType;
}

/**
 * Body of {@link Chunks} that a handler reads while it arrives. The body can be read once. The server takes bytes from the
 * client only when the handler reads. What the handler does not read is not received.
 *
 * Reading throws an error if the client leaves, the body is too large or the client is too slow. If the handler passes the error
 * on before it has answered, the client gets 400, 413 or 408.
 *
 * @example
 * ```ts
 * "PUT /videos/:id": async ({ params, body }) => {
 *   await pipeline(body, createWriteStream(join(directory, params.id)));
 * },
 * ```
 */
export interface ChunkedBody extends AsyncIterable<Uint8Array> {
  /** Media type of the request, in lower case and without parameters. */
  readonly type: string;
  /** Writes the body to a stream of the web platform and closes the stream. An error aborts the stream. */
  pipeTo(destination: UploadDestination): Promise<void>;
}

/**
 * Body of UTF-8 text with a media type. In a request, the handler receives a string. In a response, the handler returns a
 * string or an async iterable of strings, which is sent in chunks.
 *
 * @example
 * ```ts
 * type Export = Route<{ query: { year: number }; response: Text<"text/csv"> }>;
 * ```
 */
export interface Text<TMediaType extends string = "text/plain"> {
  /** Exists only for the type checker, so that no other value is text. */
  readonly [bodyMark]: "text";
  /** Media type, or a union of media types of a request. */
  readonly mediaType: TMediaType;
}

/**
 * Body of bytes with a media type. In a request, the handler receives a `Uint8Array`. In a response, the handler returns a
 * `Uint8Array` or an async iterable of them, such as a Node `Readable`, which is sent in chunks.
 *
 * @example
 * ```ts
 * type Thumbnail = Route<{ params: { id: string }; response: Bytes<"image/png"> }>;
 * ```
 */
export interface Bytes<TMediaType extends string = "application/octet-stream"> {
  /** Exists only for the type checker, so that no other value is bytes. */
  readonly [bodyMark]: "bytes";
  /** Media type, or a union of media types and ranges of a request. */
  readonly mediaType: TMediaType;
}

/**
 * Response with bytes. Clients can request ranges, to continue a download or seek in a video. The handler returns the
 * result of `download` of `@kit/core`, for a file or for any other source, or a `Uint8Array`. kit answers `range`,
 * `if-range` and the preconditions of the request. Only as the whole response of a GET route.
 *
 * @example
 * ```ts
 * type Report = Route<{ params: { id: string }; response: Download<"application/pdf"> }>;
 * ```
 */
export interface Download<TMediaType extends string = "application/octet-stream"> {
  /** Exists only for the type checker, so that no other value is a download. */
  readonly [bodyMark]: "download";
  /** Media type. */
  readonly mediaType: TMediaType;
}

/**
 * Body of JSON Lines: one JSON value on each line, with the media type `application/jsonl`. In a request, the handler
 * receives an async iterable of the values, and each line is checked when the handler reads it. In a response, the
 * handler returns an iterable or an async iterable of values.
 *
 * @example
 * ```ts
 * type Import = Route<{ body: Lines<NewBook>; response: { imported: number } }>;
 * ```
 */
export interface Lines<TLine> {
  /** Exists only for the type checker, so that no other value is lines. */
  readonly [bodyMark]: "lines";
  /** Value of a line. */
  readonly content: TLine;
}

/**
 * Body of Server-Sent Events (WHATWG HTML, 9.2), with the media type `text/event-stream`. `TEvents` has the type of the
 * data of each event, by the name of the event. The handler returns an async iterable of {@link EventOf}. Only in responses.
 *
 * @example
 * ```ts
 * type Watch = Route<{ params: { id: string }; response: Events<{ progress: Progress; done: Order }> }>;
 * ```
 */
export interface Events<TEvents extends object> {
  /** Exists only for the type checker, so that no other value is events. */
  readonly [bodyMark]: "events";
  /** Data of the events, by name. */
  readonly content: TEvents;
}

/**
 * Event that a handler sends, for the events `TEvents` of {@link Events}. A client that reconnects sends the last `id` in
 * the header `last-event-id`.
 */
export type EventOf<TEvents extends object> = {
  [TName in keyof TEvents & string]: {
    /** Name of the event. */
    readonly event: TName;
    /** Data, which is sent as JSON. */
    readonly data: TEvents[TName];
    /** Position in the stream, from which the client continues after a lost connection. */
    readonly id?: string;
    /** Milliseconds that the client waits before it reconnects. */
    readonly retry?: number;
  };
}[keyof TEvents & string];

/**
 * Messages of a WebSocket (RFC 6455), for a route with the key `WS /path`. `in` is the type of the messages that the
 * server receives, and `out` is the type of the messages that the server sends. Each message is JSON in a text message.
 * kit checks a received message like a request body.
 *
 * {@link Text} stands for text messages that are not JSON, and {@link Bytes} for binary messages. Each direction may
 * have `Bytes`, and either JSON or `Text`: `Socket<{ in: Command | Bytes; out: Text | Bytes }>`.
 *
 * `protocols` names subprotocols (RFC 6455, section 1.9). A client must offer at least one of them. With `protocols?`,
 * a client may also offer none.
 *
 * @example
 * ```ts
 * interface ChatRoutes {
 *   "WS /rooms/:id": Route<{
 *     params: { id: string };
 *     socket: Socket<{ in: { text: string }; out: { author: string; text: string } }>;
 *   }>;
 * }
 * ```
 */
export interface Socket<TMessages extends { in: unknown; out: unknown; protocols?: string }> {
  /** Exists only for the type checker, so that no other value is a socket. */
  readonly [bodyMark]: "socket";
  /** Messages of both sides. */
  readonly content: TMessages;
}

/**
 * Value of a message of {@link Socket}: a string for {@link Text}, a `Uint8Array` for {@link Bytes}, and the value itself for
 * JSON.
 *
 * @example
 * ```ts
 * type Received = MessageOf<Command | Bytes>; // Command | Uint8Array
 * ```
 */
export type MessageOf<TMessage> =
  TMessage extends Json<infer TValue>
    ? TValue
    : TMessage extends Text<string>
      ? string
      : TMessage extends Bytes<string>
        ? Uint8Array
        : TMessage;

/** Format of any body. */
export type AnyBodyFormat =
  | Json<unknown>
  | Form<object>
  | Multipart<object>
  | Raw<string>
  | Chunks<string>
  | Text<string>
  | Bytes<string>
  | Download<string>
  | Lines<unknown>
  | Events<object>;

/**
 * Key of a contract group: an HTTP method in upper case, or `WS` for a WebSocket, a space, and a path that starts with a slash.
 */
export type RouteKey =
  `${"WS" | "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS"} /${string}`;
