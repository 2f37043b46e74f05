import { channel } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

import type { PassedRequest } from "@kit/types";

const passed = channel("kit.passed");
/** Requests that were passed on while somebody subscribed to the channel. */
const requests = new WeakMap<
  IncomingMessage,
  { -readonly [Key in keyof PassedRequest]: PassedRequest[Key] }
>();

/**
 * Tells subscribers of the channel `kit.passed`, such as contract tests, that kit passes a request on to the framework.
 *
 * @example
 * ```ts
 * const routes: RequestHandler = (request, response, next) => {
 *   if (service.serves?.(request.method, request.originalUrl) === true) return serve(request, response);
 *   notePassed(request);
 *   next();
 * };
 * ```
 */
export function notePassed(request: IncomingMessage): void {
  if (!passed.hasSubscribers) return;
  const note = { method: request.method ?? "", isReturned: false };
  requests.set(request, note);
  passed.publish(note);
}

/**
 * Tells the same subscribers that the framework has left the request to kit. Has no effect on a request that was not passed on.
 *
 * @example
 * ```ts
 * // The last layer of the application: nothing of the framework has handled the request.
 * web.use((request, response) => {
 *   noteReturned(request);
 *   serve(request, response);
 * });
 * ```
 */
export function noteReturned(request: IncomingMessage): void {
  if (!passed.hasSubscribers) return;
  const note = requests.get(request);
  if (note !== undefined) note.isReturned = true;
}
