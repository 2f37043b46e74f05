/** Parts of a request and its answers that a contract may declare. A part that is left out does not exist. */
interface ContractParts {
  params: unknown;
  query: unknown;
  headers: unknown;
  cookies: unknown;
  body: unknown;
  response: unknown;
  errors: AnyFailure;
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
  /** JSON body of the request. */
  body: Part<TParts, "body">;
  /** JSON body of the response, or the union of all replies. */
  response: Part<TParts, "response">;
  /** Union of the failures that the handler may answer with. */
  errors: Part<TParts, "errors">;
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
  /** JSON body of the request. */
  body: TBody;
  /** JSON body of the response. */
  response: TResponse;
  /** Failures: any. */
  errors: void;
}

declare const replyMark: unique symbol;
declare const failureMark: unique symbol;

/**
 * One reply of a contract: its status, JSON body and headers. A union declares several replies, with different
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
  /** JSON body. `void` if the reply has none. */
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

/** Key of a contract group: an HTTP method in upper case, a space, and a path that starts with a slash. */
export type RouteKey = `${"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS"} /${string}`;
