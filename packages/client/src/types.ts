import type { ByteRange, BytesBody, FormatName } from "./body-types.ts";
import type { ErrorBodyOf, ValidationStatusOf } from "./codec.ts";
import type { ApiError } from "./error.ts";
import type { RequestOptions } from "./options.ts";
import type { ApiSocket, ApiSocketRoute, SocketCall } from "./socket-types.ts";

/**
 * Type of the codes that a contract does not declare. Exists only for the type checker: with `string` in its
 * place, `error.code === "SOLD_OUT"` would not narrow an error to a declared code.
 */
declare enum Other {
  Code = "a code that the contract does not declare",
}

/** Route as a client sees it. `.kit/client/index.ts` declares one for each route. */
export interface ApiRoute<Input extends object, Output, Failures extends ApiError = never> {
  /** Params, query, headers, cookies and body of a call. */
  readonly input: Input;
  /** Data of a successful response. */
  readonly output: Output;
  /** Errors that the contract declares. */
  readonly failures: Failures;
}

/**
 * Old name of {@link ApiRoute}, which could be confused with the `Route` of a contract.
 *
 * @deprecated Use `ApiRoute`.
 */
export type Route<Input extends object, Output, Failures extends ApiError = never> = ApiRoute<
  Input,
  Output,
  Failures
>;

/**
 * Reply of a contract that declares replies. After a comparison of `status`, TypeScript knows the member of the union.
 *
 * @example
 * ```ts
 * const reply = await api.post("/orders", { body });
 * if (reply.status === 201) console.log(reply.data.id, reply.headers.location);
 * ```
 */
export interface ApiReply<Status extends number, Data, Fields extends object = {}> {
  /** HTTP status. */
  readonly status: Status;
  /** Body of the reply. `undefined` if the contract declares none. */
  readonly data: Data;
  /** Declared headers of the reply. `response.headers` of `.result()` has all headers. */
  readonly headers: Fields;
}

/** Code of an error that the contract does not declare. At run time it is a string. */
export type OtherCode = Other.Code;

/** Error that a route declares, in its contract or with `@throws`. */
export type ApiFailure<Code extends string, Status extends number, Details = unknown> = ApiError<
  Code,
  Status,
  Details
>;

/**
 * Old name of {@link ApiFailure}, which could be confused with the `Failure` of a contract.
 *
 * @deprecated Use `ApiFailure`.
 */
export type Failure<Code extends string, Status extends number, Details = unknown> = ApiFailure<
  Code,
  Status,
  Details
>;

/**
 * Name of the rule that a value breaks. If JSON Schema has a keyword for the rule, the name is that keyword.
 *
 * `required`: the value is missing. `template`: a template literal type of TypeScript. `unknown`: the contract allows
 * no value at this location. `maxDepth`: the value is nested too deep. `maxFailures`: there are more failures than are
 * listed. `characters`: the string has characters that databases cannot store. `json` and `encoding`: the input could
 * not be parsed or decoded.
 */
export type ValidationRule =
  | "required"
  | "type"
  | "enum"
  | "const"
  | "minLength"
  | "maxLength"
  | "pattern"
  | "format"
  | "template"
  | "contentEncoding"
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum"
  | "multipleOf"
  | "minItems"
  | "maxItems"
  | "uniqueItems"
  | "anyOf"
  | "unknown"
  | "maxDepth"
  | "maxFailures"
  | "characters"
  | "maxBytes"
  | "mime"
  | "multipart"
  | "json"
  | "encoding";

/** Argument of a rule: the number of `minLength`, the string of `pattern`, one value of `enum`. */
export type ValidationLimitValue = string | number | boolean | null;

/**
 * Location in the input, with the rule that the value at this location breaks: an item of `details.fields` of
 * a `VALIDATION_ERROR`.
 */
export interface InvalidField {
  /** JSONPath of the value: `$.items[0].quantity`. */
  readonly path: string;
  /** Type and rules in English: `string, 1 to 200 characters`. */
  readonly expected: string;
  /** Value that the client sent. `null` if the value is missing. Absent if there is no value to show. */
  readonly value?: unknown;
  /** First rule that the value breaks, for messages in other words and languages. */
  readonly rule: ValidationRule;
  /** Argument of that rule: `1` for `minLength`, a list of values for `enum`. Absent if the rule has none. */
  readonly limit?: ValidationLimitValue | readonly ValidationLimitValue[];
}

/**
 * Details of the error `INSUFFICIENT_SCOPE` (403), with which a server refuses a caller who lacks scopes that the contract
 * requires.
 */
export interface MissingScopes<Scope extends string = string> {
  /** Lists of scopes that the caller lacks. A caller who gets all scopes of one list may call the route. */
  readonly missingScopes: readonly (readonly Scope[])[];
}

/**
 * Errors with which any call may fail, in addition to the declared errors. `Body` is the type of the API's error
 * bodies, `ValidationStatus` the status of its validation errors.
 */
export type CommonFailure<Body = unknown, ValidationStatus extends 400 | 422 = 400> =
  | ApiError<
      "VALIDATION_ERROR",
      ValidationStatus,
      | {
          readonly fields: readonly InvalidField[];
        }
      | undefined,
      Body
    >
  | ApiError<"INTERNAL_SERVER_ERROR", 500, unknown, Body>
  | ApiError<"REQUEST_TIMEOUT" | "SERVICE_UNAVAILABLE" | "TRANSACTION_CONFLICT", 503, unknown, Body>
  | ApiFailure<"NETWORK_ERROR" | "TIMEOUT", 0>
  | ApiFailure<"UNEXPECTED_RESPONSE", number>
  | ApiError<OtherCode, number, unknown, Body>;

/** Adds the type of the API's error bodies to the errors of a route. */
type WithBody<Failures, Body> =
  Failures extends ApiError<infer Code, infer Status, infer Details>
    ? ApiError<Code, Status, Details, Body>
    : never;

/** Result of a call. */
export type Result<Output, Failures> =
  | { readonly ok: true; readonly data: Output; readonly response: Response }
  | { readonly ok: false; readonly error: Failures };

/** Call in progress. `await` returns the data of the response or throws an {@link ApiError}. */
export interface ApiCall<Output, Failures> extends Promise<Output> {
  /**
   * Returns the response or the error as a value. Rejects only for other errors, such as the reason of an aborted
   * signal.
   *
   * @example
   * ```ts
   * const result = await api.get("/notes/:id", { params: { id } }).result();
   * if (result.ok) show(result.data);
   * else if (result.error.code === "NOTE_NOT_FOUND") showNothing();
   * else throw result.error;
   * ```
   */
  result(): Promise<Result<Output, Failures>>;
  /**
   * Returns the body of the response as a stream of bytes, for bodies that are too large for the memory. Must be called at
   * once. The timeout of the call then ends when the response arrives.
   *
   * @example
   * ```ts
   * const stream = await api.get("/backups/:id", { params: { id } }).stream();
   * for await (const bytes of stream) await file.write(bytes);
   * ```
   */
  stream(): Promise<ReadableStream<Uint8Array>>;
  /**
   * Returns the items of all pages of a list that the server returns as a `Cursor`. The first page is the response of
   * this call, and the client requests each further page only when the iteration needs the page.
   *
   * @example
   * ```ts
   * for await (const note of api.get("/notes", { query: { author } }).items()) show(note);
   * ```
   */
  items<Item>(this: Promise<CursorPage<Item>>): AsyncIterable<Item>;
}

/** Page of a list: a `Cursor` of a contract. */
interface CursorPage<Item> {
  readonly data: readonly Item[];
  readonly next?: string;
  readonly previous?: string;
}

/**
 * Type of a value after `JSON.parse`: a `Date`, a `bigint` and bytes are strings, and an object with `toJSON` is the result of
 * this method. A client that knows only the
 * contract, without generated codecs, receives this type.
 */
export type Wire<T> = T extends Date | bigint | Uint8Array
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : unknown extends T
      ? unknown
      : T extends { toJSON(key: string): infer Json }
        ? Wire<Json>
        : { [K in keyof T]: Wire<T[K]> };

interface Contract {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly response: unknown;
}

/** Type of the slot `Name` of a contract. `void` if the contract does not declare the slot. */
type Part<C, Name extends string> = C extends { readonly [N in Name]: infer T } ? T : void;

/**
 * Name of the format of a body. `never` if the body is JSON. Only formats have a property with a symbol as its key and with
 * such a name as its type.
 */
type FormatOf<T> = 0 extends 1 & T
  ? never
  : T extends unknown
    ? Extract<T[keyof T & symbol], FormatName>
    : never;

/** Value of the JSON of a body: of `Json<Value>`, or a plain type. `never` if the body is in another format. */
type JsonOf<T> = 0 extends 1 & T
  ? T
  : T extends unknown
    ? [FormatOf<T>] extends [never]
      ? T
      : FormatOf<T> extends "json"
        ? T extends { readonly content: infer Value }
          ? Value
          : never
        : never
    : never;

/** True if a body can be JSON. */
type CanBeJson<T> = [FormatOf<T>] extends [never] ? true : [JsonOf<T>] extends [never] ? false : true;

/**
 * Body of a call. Required if the contract has a body, even if all of its properties are optional. A contract does not exist
 * at run time, so the caller encodes a body that is not JSON.
 */
type BodyArgument<T> = [T] extends [void]
  ? unknown
  : (CanBeJson<T> extends true ? { body: JsonOf<T> } : never) | EncodedArgument<FormatOf<T>>;

/** Body of a call that is not JSON, for each format. */
type EncodedArgument<Format> = Format extends "json"
  ? never
  : Format extends "form"
    ? { body: URLSearchParams }
    : Format extends "multipart"
      ? { body: FormData }
      : { body: string | BytesBody; contentType: string };

/**
 * Params, query or headers of a contract as a property of the call: absent if the type is `void`, optional if all of
 * its properties are optional.
 */
type SlotArgument<Name extends string, T> = [T] extends [void]
  ? unknown
  : {} extends T
    ? { [K in Name]?: T }
    : { [K in Name]: T };

/** Cookies of a contract. Always optional, because a browser sends its cookies by itself. */
type CookieArgument<T> = [T] extends [void] ? unknown : { cookies?: T };

/** Range of a call, if the response is a download. */
type RangeArgument<T> = "download" extends FormatOf<T> ? { range?: ByteRange } : unknown;

/** Parsed JSON of a body, or the response itself if the body is not JSON. A union of formats can be each of them. */
type BodyData<T> = [T] extends [void]
  ? undefined
  :
      | (CanBeJson<T> extends true ? Wire<JsonOf<T>> : never)
      | ([Exclude<FormatOf<T>, "json">] extends [never] ? never : Response);

/**
 * Data of a response: parsed JSON. A contract does not exist at run time, so a call returns the body of a reply without
 * its status. Only the replies of a contract have a property with a symbol as its key.
 */
type DataOf<T> = T extends { readonly status: number; readonly body: infer Body; readonly headers: object }
  ? [Extract<keyof T, symbol>] extends [never]
    ? Wire<T>
    : BodyData<Body>
  : BodyData<T>;

/** Errors of a contract. */
type FailureOf<T> = T extends {
  readonly status: infer Status extends number;
  readonly code: infer Code extends string;
  readonly details: infer Details;
}
  ? ApiFailure<Code, Status, [Details] extends [void] ? unknown : Wire<Details>>
  : never;

/** Route of a client: a generated route unchanged, or a contract converted to a route. */
type RouteOf<C> =
  C extends ApiRoute<infer _Input, infer _Output, infer _Failures>
    ? C
    : C extends Contract
      ? ApiRoute<
          SlotArgument<"params", C["params"]> &
            SlotArgument<"query", C["query"]> &
            SlotArgument<"headers", Part<C, "headers">> &
            CookieArgument<Part<C, "cookies">> &
            BodyArgument<C["body"]> &
            RangeArgument<C["response"]> &
            object,
          [C["response"]] extends [void] ? undefined : DataOf<C["response"]>,
          FailureOf<Part<C, "errors">>
        >
      : never;

/** Input of a route: `InputOf<Routes, "GET /notes/:id">`. */
export type InputOf<Routes, Key extends keyof Routes> = RouteOf<Routes[Key]>["input"];
/** Data of a route's response: `OutputOf<Routes, "GET /notes/:id">`. */
export type OutputOf<Routes, Key extends keyof Routes> = RouteOf<Routes[Key]>["output"];
/** Errors of a route: `ErrorOf<Routes, "GET /notes/:id">`. */
export type ErrorOf<Routes, Key extends keyof Routes> =
  | WithBody<RouteOf<Routes[Key]>["failures"], ErrorBodyOf<Routes>>
  | CommonFailure<ErrorBodyOf<Routes>, ValidationStatusOf<Routes>>;

type PathsOf<Key, Method extends string> = Key extends `${Method} ${infer Path}` ? Path : never;

/** Options of a call. If the contract declares headers, a call can only have these. */
type OptionsFor<Input> = "headers" extends keyof Input ? Omit<RequestOptions, "headers"> : RequestOptions;

type Arguments<Input> = {} extends Input
  ? [request?: Input & OptionsFor<Input>]
  : [request: Input & OptionsFor<Input>];

/** Media types that a call can ask for. `never` if the response has one format. */
type AcceptOf<Input> = Input extends { readonly accept?: infer Type } ? Exclude<Type, undefined> : never;

/** Input of a call that asks for the media type `Accept`. */
type Accepting<Input, Accept> = "accept" extends keyof Input
  ? Omit<Input, "accept"> & { accept?: Accept }
  : Input;

/** Data of a response that has the media type `Accept`. */
type Accepted<Output, Accept> = [Accept] extends [never] ? Output : OfType<Output, Accept>;
type OfType<Output, Accept> = Output extends {
  readonly type: `${string}/${string}`;
  readonly value: unknown;
}
  ? Output extends { readonly type: Accept }
    ? Output
    : never
  : Output extends ApiReply<infer Status, infer Data, infer Fields>
    ? ApiReply<Status, OfType<Data, Accept>, Fields>
    : Output;

/** Function that calls the routes of one method. */
type Caller<Routes, Method extends string> = <
  Path extends PathsOf<keyof Routes, Method>,
  Accept extends AcceptOf<InputOf<Routes, `${Method} ${Path}` & keyof Routes>> = AcceptOf<
    InputOf<Routes, `${Method} ${Path}` & keyof Routes>
  >,
>(
  path: Path,
  ...request: Arguments<Accepting<InputOf<Routes, `${Method} ${Path}` & keyof Routes>, Accept>>
) => ApiCall<
  Accepted<OutputOf<Routes, `${Method} ${Path}` & keyof Routes>, Accept>,
  ErrorOf<Routes, `${Method} ${Path}` & keyof Routes>
>;

type SocketPaths<Key> = Key extends `WS ${infer Path}` ? Path : never;

/** WebSocket of a client: a generated route unchanged, or a contract converted to a route. */
type SocketRouteOf<C> =
  C extends ApiSocketRoute<infer _Input, infer _Sent, infer _Received, infer _Protocol>
    ? C
    : C extends {
          readonly params: infer Params;
          readonly query: infer Query;
          readonly socket: {
            readonly content: infer Messages extends { in: unknown; out: unknown; protocols?: string };
          };
        }
      ? ApiSocketRoute<
          SlotArgument<"params", Params> &
            SlotArgument<"query", Query> &
            SlotArgument<"headers", Part<C, "headers">> &
            CookieArgument<Part<C, "cookies">> &
            ProtocolArgument<Messages> &
            KindsArgument<Messages["in"], Messages["out"]> &
            object,
          JsonOf<Messages["in"]> | OtherMessages<Messages["in"]>,
          Wire<JsonOf<Messages["out"]>> | OtherMessages<Messages["out"]>,
          Messages extends { protocols?: infer Protocol }
            ? "protocols" extends keyof Messages
              ? Protocol
              : undefined
            : undefined
        >
      : never;

/** Values of messages that are not JSON. */
type OtherMessages<T> =
  | ("text" extends FormatOf<T> ? string : never)
  | ("bytes" extends FormatOf<T> ? Uint8Array : never);

/** Kinds of the messages of a contract in one direction. */
type KindsOf<T> = Extract<FormatOf<T>, "text" | "bytes"> | (CanBeJson<T> extends true ? "json" : never);

/**
 * Argument with the kinds of messages, if not all messages are JSON. A contract does not exist at run time, so the caller names
 * the kinds.
 */
type KindsArgument<In, Out> = [Extract<FormatOf<In> | FormatOf<Out>, "text" | "bytes">] extends [never]
  ? unknown
  : { messages: { in: readonly KindsOf<In>[]; out: readonly KindsOf<Out>[] } };

/** Argument with the subprotocols that a call offers, if the contract names subprotocols. */
type ProtocolArgument<Messages> = "protocols" extends keyof Messages
  ? { [Name in keyof Pick<Messages, "protocols">]: readonly NonNullable<Messages[Name]>[] }
  : unknown;

type SocketInputOf<C> = SocketRouteOf<C> extends { readonly input: infer Input } ? Input : never;
type SocketOf<C> =
  SocketRouteOf<C> extends {
    readonly sent: infer Sent;
    readonly received: infer Received;
    readonly protocol: infer Protocol;
  }
    ? ApiSocket<Sent, Received, Protocol>
    : never;

type SocketArguments<Input> = {} extends Input
  ? [request?: Input & Pick<SocketCall, "signal" | "timeoutMs">]
  : [request: Input & Pick<SocketCall, "signal" | "timeoutMs">];

/** Function of a client that opens WebSockets. */
type SocketCaller<Routes> = <Path extends SocketPaths<keyof Routes>>(
  path: Path,
  ...request: SocketArguments<SocketInputOf<Routes[`WS ${Path}` & keyof Routes]>>
) => Promise<SocketOf<Routes[`WS ${Path}` & keyof Routes]>>;

/** Client of an API, with one function per method. */
export interface Client<Routes> {
  readonly get: Caller<Routes, "GET">;
  readonly head: Caller<Routes, "HEAD">;
  readonly post: Caller<Routes, "POST">;
  readonly put: Caller<Routes, "PUT">;
  readonly patch: Caller<Routes, "PATCH">;
  readonly delete: Caller<Routes, "DELETE">;
  readonly options: Caller<Routes, "OPTIONS">;
  /** Opens a WebSocket. A client without generated codecs needs the option `sockets`. */
  readonly ws: SocketCaller<Routes>;
}

/**
 * Methods of a client for the operations that contracts name with `@operation`. `Names` maps each name to the
 * key of its route: `{ listNotes: "GET /notes" }`.
 */
export type OperationMethods<Routes, Names> = {
  readonly [Name in keyof Names]: Operation<Routes, Names[Name] & keyof Routes>;
};

/** Function that calls one route. */
type Operation<Routes, Key extends keyof Routes> = <
  Accept extends AcceptOf<InputOf<Routes, Key>> = AcceptOf<InputOf<Routes, Key>>,
>(
  ...request: Arguments<Accepting<InputOf<Routes, Key>, Accept>>
) => ApiCall<Accepted<OutputOf<Routes, Key>, Accept>, ErrorOf<Routes, Key>>;
