/** Types of `request` of an integration suite: the contract of a route decides on headers and cookies. */
import type { TestRequest } from "../client.ts";
import type { CookieValues, HeaderValues } from "../header-texts.ts";
import type { ProjectRouteMap } from "../project/known-types.ts";
import type { SocketOffer } from "../client.ts";
import type { TestSocket } from "../test-socket.ts";

/** Options of `request`: the options of a test request, and the values of path parameters. */
export interface SuiteRequest extends TestRequest {
  /** Values of path parameters, unescaped. */
  readonly params?: Readonly<Record<string, string | number>>;
}

/**
 * Names that every request of a suite may leave out: the names in the option `headers` of the suite, or all names if
 * the suite has fixtures.
 */
export type GivenNames<TOptions> = TOptions extends { readonly fixtures: object }
  ? string
  : TOptions extends { readonly headers: infer THeaders }
    ? NamesOf<THeaders extends (...input: never) => infer TResult ? Awaited<TResult> : THeaders>
    : never;
type NamesOf<THeaders> = Lowercase<keyof THeaders & string>;

/** Slot of a contract, without the obligation to send the names `TGiven`. */
type Sent<TSlot, TGiven extends string> = Omit<TSlot, TGiven & keyof TSlot> &
  Partial<Pick<TSlot, TGiven & keyof TSlot>>;

/** Property of a request. It may be left out if all its values may be. */
type Property<TName extends string, TValue> = {} extends TValue
  ? { readonly [TKey in TName]?: TValue }
  : { readonly [TKey in TName]: TValue };

type Headers<TRoute, TGiven extends string> = TRoute extends { readonly headers: infer TSlot }
  ? Property<"headers", Sent<TSlot, TGiven> & HeaderValues>
  : Pick<SuiteRequest, "headers">;

/** The header `cookie` has the values of all cookies. */
type Cookies<TRoute, TGiven extends string> = TRoute extends { readonly cookies: infer TSlot }
  ? Property<"cookies", Sent<TSlot, "cookie" extends TGiven ? string : never> & CookieValues>
  : Pick<SuiteRequest, "cookies">;

type RequestTo<TRoute, TGiven extends string> = Omit<SuiteRequest, "headers" | "cookies"> &
  Headers<TRoute, TGiven> &
  Cookies<TRoute, TGiven>;

/**
 * Arguments of `request` after the route. Headers and cookies that the contract of the route declares have the types of
 * the contract, and other headers and cookies have any text.
 */
export type RequestArguments<
  TKey extends string,
  TGiven extends string,
  TOther extends object = {},
> = TKey extends keyof ProjectRouteMap
  ? {} extends RequestTo<ProjectRouteMap[TKey], TGiven>
    ? [request?: RequestTo<ProjectRouteMap[TKey], TGiven> & TOther]
    : [request: RequestTo<ProjectRouteMap[TKey], TGiven> & TOther]
  : [request?: SuiteRequest & TOther];

/**
 * Type of a value after `JSON.parse`: a `Date`, a `bigint` and bytes are strings.
 */
type Wire<T> = T extends Date | bigint | Uint8Array
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : unknown extends T
      ? unknown
      : { [TKey in keyof T]: Wire<T[TKey]> };

/** Subprotocols that a socket of a route may offer: those of the contract. */
type Offer<TKey extends string> = TKey extends keyof ProjectRouteMap
  ? ProjectRouteMap[TKey] extends { readonly socket: { readonly protocols?: infer TName } }
    ? { readonly protocols?: readonly (TName & string)[] }
    : SocketOffer
  : SocketOffer;

/** Arguments of `socket` after the route, as {@link RequestArguments}, with the subprotocols that the socket offers. */
export type SocketArguments<TKey extends string, TGiven extends string> = RequestArguments<
  TKey,
  TGiven,
  Offer<TKey>
>;

/** Type of the binary messages that a route sends. `never` if it sends none. */
type BytesOf<TSocket> = TSocket extends { readonly bytes: infer TBytes } ? TBytes : never;

/** WebSocket of a route: its messages have the types of the contract. */
export type SocketOf<TKey extends string> = TKey extends keyof ProjectRouteMap
  ? ProjectRouteMap[TKey] extends {
      readonly socket: { in: infer TSent; out: infer TReceived; protocols?: string };
    }
    ? TestSocket<TSent, Wire<TReceived> | BytesOf<ProjectRouteMap[TKey]["socket"]>>
    : TestSocket<unknown, unknown>
  : TestSocket<unknown, unknown>;
