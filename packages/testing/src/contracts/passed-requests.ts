import { subscribe, unsubscribe } from "node:diagnostics_channel";

import type { PassedRequest } from "@kit/types";

/** Channel on which `@kit/server-express` and `@kit/server-hono` publish requests. */
const channel = "kit.passed";

/** Response, and true if kit has passed the request on and the framework around kit has sent the response. */
export interface Watched<TAnswer> {
  readonly answer: TAnswer;
  readonly isOfFramework: boolean;
}

/**
 * Sends one request with the given method. Finds out if kit or the framework around kit has responded: with `server.routes`, kit decides
 * only about requests that one of its routes matches.
 */
export async function watchPassed<TAnswer>(
  method: string,
  send: () => Promise<TAnswer>,
): Promise<Watched<TAnswer>> {
  const passed: PassedRequest[] = [];
  // Tests of one process run one after the other, so a request with this method is the request of this test.
  const note = (message: unknown): void => void passed.push(message as PassedRequest);
  subscribe(channel, note);
  try {
    const answer = await send();
    // kit notes a returned request before it responds.
    return { answer, isOfFramework: passed.some((one) => one.method === method && !one.isReturned) };
  } finally {
    unsubscribe(channel, note);
  }
}
