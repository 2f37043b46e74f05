/**
 * Wrappers: middleware that runs around the rest of the request. A wrapper may change the headers of the answer, and may
 * answer in place of the handler.
 *
 * @module
 */
import type { AnyFailure, AnyReply } from "@kit/types";

import type { DeclaredFail, ReplyFunction } from "./handlers.ts";
import type { AddedProperties, MiddlewareInput } from "./middleware.ts";
import type { AnyFail, BaseContext } from "./request-context.ts";
import { type AnyWrapperFunction, Wrapper } from "./wrapper-object.ts";

/** Parts that the type argument of {@link defineWrapper} may have. */
export interface WrapperParts {
  adds: AddedProperties;
  replies: AnyReply;
  errors: AnyFailure;
}

/** Type of one part. `never` if the type argument leaves it out. */
type Part<TParts, TName extends keyof WrapperParts> = TParts extends { readonly [TKey in TName]: infer TPart }
  ? TPart
  : never;
/** Type of the properties that a wrapper with the parts `TParts` adds to `ctx`. */
export type Adds<TParts> = TParts extends { readonly adds: infer TAdded extends object } ? TAdded : void;

/** Headers of an answer that a wrapper received from `next`. Names are case-insensitive. */
export interface AnswerHeaders {
  /** Returns the value of a header. `null` if the answer does not have it. Repeated headers are joined with `, `. */
  get(name: string): string | null;
  /** Returns true if the answer has the header. */
  has(name: string): boolean;
  /**
   * Sets a header. The value replaces the previous values; `set-cookie` is added to them.
   *
   * @throws {TypeError} If the name or the value is not valid, or if only the server sets the header.
   */
  set(name: string, value: string | readonly string[]): void;
  /** Removes a header, if the answer has it. */
  delete(name: string): void;
}

declare const passedMark: unique symbol;

/**
 * Answer of the code that a wrapper wraps, before the body becomes JSON. `next` resolves to it, and the wrapper returns
 * it.
 */
export interface PassedAnswer {
  /** Exists only for the type checker, so that no other value is an answer. */
  readonly [passedMark]: true;
  /** HTTP status. */
  readonly status: number;
  /** Headers that middleware and the handler set, and the headers of the reply. Changes affect the response. */
  readonly headers: AnswerHeaders;
  /** Value that the handler returned, or the body of the reply. A result of `ctx.send` if the handler returned one. */
  readonly body: unknown;
}

/** Input of a wrapper. */
export interface WrapperInput<TReplies, TErrors> extends Omit<MiddlewareInput, "ctx"> {
  /** Context of the request, with the properties that earlier middleware added. */
  readonly ctx: BaseContext & ([TErrors] extends [never] ? AnyFail : DeclaredFail<TErrors>);
  /** Creates an answer of the wrapper: one of the replies that it declares. */
  readonly reply: ReplyFunction<TReplies>;
}

/**
 * Function that runs the rest of the request: later middleware, validation and the handler. The argument has the
 * properties that the wrapper adds to `ctx`. The promise rejects with the error of the wrapped code.
 */
export type Next<TAdded extends object | void = void> = (
  ...added: [TAdded] extends [object] ? ({} extends TAdded ? [added?: TAdded] : [added: TAdded]) : []
) => Promise<PassedAnswer>;

/** Function of a wrapper. It returns the answer of `next`, or a reply of its own. */
export type WrapperFunction<TParts> = (
  input: WrapperInput<Part<TParts, "replies">, Part<TParts, "errors">>,
  next: Next<Adds<TParts>>,
) => PassedAnswer | Part<TParts, "replies"> | Promise<PassedAnswer | Part<TParts, "replies">>;

/**
 * Creates a wrapper: middleware that runs around the rest of the request. It is registered in a `middleware` list, alone
 * or as `{ name, middleware, priority }`.
 *
 * The type argument is an object type with up to three parts. `adds` has the properties that the wrapper adds to `ctx`
 * and passes to `next`. `replies` has the replies that the wrapper may answer with, and `errors` the failures of its
 * `ctx.fail`. Replies and failures become part of the contract of each route that the wrapper wraps.
 *
 * @param run - Function that receives the input and `next`. It calls `next` at most once, and returns the
 *   answer of `next` or the result of `reply(…)`.
 * @example
 * ```ts
 * export const timed = defineWrapper<{ adds: { startedAt: number } }>(async (_input, next) => {
 *   const startedAt = performance.now();
 *   const answer = await next({ startedAt });
 *   answer.headers.set("server-timing", `app;dur=${performance.now() - startedAt}`);
 *   return answer;
 * });
 * ```
 * @throws {TypeError} If the argument is not a function.
 */
export function defineWrapper<
  TParts extends {
    [TName in keyof TParts]: TName extends keyof WrapperParts ? WrapperParts[TName] : never;
  } = {},
>(run: WrapperFunction<TParts>): Wrapper<TParts> {
  if (typeof run !== "function") {
    throw new TypeError(
      "defineWrapper: the argument must be a function with the parameters `input` and `next`",
    );
  }
  return new Wrapper<TParts>(run as unknown as AnyWrapperFunction);
}
