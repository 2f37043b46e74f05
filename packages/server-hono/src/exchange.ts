import type { IncomingMessage, ServerResponse } from "node:http";

import {
  abortedWriter,
  exchangeOf,
  headerRecord,
  NodeExchange,
  noSniff,
  noSniffName,
  type RequestBody,
  webBody,
} from "@kit/server-node";
import type { ResponseBody, ResponseStreamEvents, ResponseWriter } from "@kit/types";
import type { Context, Env } from "hono";
import type { StatusCode } from "hono/utils/http-status";

/** Values that @hono/node-server adds to the context of a request. */
export interface NodeBindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Hono context of a request on Node. */
export type NodeContext = Context<{ Bindings: NodeBindings }>;

/** Exchange that responds through Hono, so that middleware sees the response. */
export class HonoExchange extends NodeExchange {
  readonly honoContext: NodeContext;
  readonly #answer: (response: Response) => void;

  constructor(context: NodeContext, body: RequestBody, answer: (response: Response) => void) {
    const { incoming, outgoing } = context.env;
    super(incoming, outgoing, incoming.url!, body);
    this.honoContext = context;
    this.#answer = answer;
  }

  protected override write(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void {
    const others = this.#head(contentType, headers);
    // Hono sets `content-length` only for bodies that it writes: not for HEAD, and not for an empty body.
    if ((body === null || this.method === "HEAD") && status !== 204 && status !== 304) {
      others["content-length"] = `${body === null ? 0 : Buffer.byteLength(body)}`;
    }
    const data = typeof body === "string" || body === null ? body : new Uint8Array(body);
    this.#answer(this.honoContext.newResponse(data, status as StatusCode, others));
  }

  respondStream(
    status: number,
    contentType: string | null,
    length: number | null,
    headers: readonly string[] | null,
    events: ResponseStreamEvents,
  ): ResponseWriter {
    if (!this.beginStream(status, contentType, headers)) return abortedWriter(events);
    const { writer, body } = webBody(this.response, events);
    const head = this.#head(contentType, headers);
    if (length !== null) head["content-length"] = `${length}`;
    const data = this.method === "HEAD" ? null : body;
    this.#answer(this.honoContext.newResponse(data, status as StatusCode, head));
    return writer;
  }

  protected override leaveResponse(): void {
    // @hono/node-server writes no response for this header.
    this.#answer(new Response(null, { headers: { "x-hono-already-sent": "true" } }));
  }

  #head(contentType: string | null, headers: readonly string[] | null): Record<string, string | string[]> {
    if (headers === null) {
      const own: Record<string, string> = { [noSniffName]: noSniff };
      if (contentType !== null) own["content-type"] = contentType;
      return own;
    }
    // Cookies go through the context, because Hono drops the cookies of a response if middleware has set others before.
    const { "set-cookie": cookies, ["__proto__"]: hidden, ...others } = headerRecord(headers);
    // @hono/node-server copies headers to an object that has no property of this name.
    if (hidden !== undefined) this.response.setHeader("__proto__", hidden);
    for (const cookie of [cookies ?? []].flat())
      this.honoContext.header("set-cookie", cookie, { append: true });
    if (contentType !== null) others["content-type"] = contentType;
    others[noSniffName] ??= noSniff;
    return others;
  }
}

/**
 * Returns Hono's context of a `ctx`, so that handlers and middleware of kit can read the variables that middleware of Hono has set.
 *
 * @example
 * ```ts
 * import { defineMiddleware } from "@kit/core";
 * import { honoContext } from "@kit/server-hono";
 *
 * export const requireUser = defineMiddleware<{ user: User }>(({ ctx }) => {
 *   const user = honoContext<{ Variables: { user?: User } }>(ctx).get("user");
 *   return user === undefined ? ctx.fail(401, "UNAUTHORIZED", "Log in first") : { user };
 * });
 * ```
 * @throws {TypeError} If the request did not come through Hono: the application runs on another server, was called with `app.fetch`, or the
 * application of Hono has neither middleware nor routes.
 */
export function honoContext<TEnv extends Env = Env>(ctx: object): Context<TEnv> {
  return exchangeOf(ctx, HonoExchange, "honoContext", "Hono").honoContext as unknown as Context<TEnv>;
}
