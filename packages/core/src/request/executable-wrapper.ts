import { type Replies, replyFunction, type ReplyToStatus } from "./reply.ts";
import type { AnyWrapperFunction } from "./wrapper-object.ts";

/** Wrapper in the chain of a route. */
export interface ExecutableWrapper {
  readonly run: AnyWrapperFunction;
  /** Replies that the wrapper declares. */
  readonly replies: Replies;
  /** Function `reply` of the wrapper's input. */
  readonly reply: ReplyToStatus;
  /** Method and path of the route, for messages. */
  readonly ref: string;
  /** The wrapper in messages, such as `the wrapper timed`. */
  readonly owner: string;
}

/** Returns the wrapper of a route with its declared replies. */
export function executableWrapper(
  ref: string,
  name: string,
  run: AnyWrapperFunction,
  replies: Replies,
): ExecutableWrapper {
  const owner = `the wrapper ${name}`;
  return { run, replies, reply: replyFunction(ref, replies, owner), ref, owner };
}
