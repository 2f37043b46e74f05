import { exchangeOf, type RequestBody, ResponseExchange } from "@kit/server-node";
import type { Request, Response } from "express";

/** Exchange of a request that came through the middleware of an Express application. */
export class ExpressExchange extends ResponseExchange {
  readonly expressRequest: Request;

  /** Creates the exchange. `originalUrl` has the whole path, even if the application is mounted below a path of another one. */
  constructor(request: Request, response: Response, body: RequestBody) {
    super(request, response, request.originalUrl, body);
    this.expressRequest = request;
  }
}

/**
 * Returns Express's request of a `ctx`. Handlers and middleware of kit can read the values that middleware of Express
 * has added to this request.
 *
 * @example
 * ```ts
 * import { defineMiddleware } from "@kit/core";
 * import { expressRequest } from "@kit/server-express";
 *
 * export const requireUser = defineMiddleware<{ user: User }>(({ ctx }) => {
 *   const { user } = expressRequest(ctx);
 *   return user === undefined ? ctx.fail(401, "UNAUTHORIZED", "Log in first") : { user };
 * });
 * ```
 * @throws {TypeError} If the request did not come through Express: the application runs on another server, or was called with `app.fetch`.
 */
export function expressRequest(ctx: object): Request {
  return exchangeOf(ctx, ExpressExchange, "expressRequest", "Express").expressRequest;
}
