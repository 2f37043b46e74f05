import {
  abortedWriter,
  exchangeOf,
  headerRecord,
  nodeBody,
  NodeExchange,
  noSniff,
  noSniffName,
  type RequestBody,
} from "@kit/server-node";
import type { ResponseBody, ResponseStreamEvents, ResponseWriter } from "@kit/types";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Exchange that responds through Fastify, so that the hooks `onSend` and `onResponse` see the response. */
export class FastifyExchange extends NodeExchange {
  readonly fastifyRequest: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply, body: RequestBody) {
    super(request.raw, reply.raw, request.raw.url!, body);
    this.fastifyRequest = request;
    this.#reply = reply;
  }

  protected override write(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void {
    const reply = this.#setHead(status, contentType, headers);
    if (this.method === "HEAD" && status !== 204 && status !== 304) {
      reply.header("content-length", `${body === null ? 0 : Buffer.byteLength(body)}`);
    }
    reply.send(body ?? undefined);
  }

  respondStream(
    status: number,
    contentType: string | null,
    length: number | null,
    headers: readonly string[] | null,
    events: ResponseStreamEvents,
  ): ResponseWriter {
    if (!this.beginStream(status, contentType, headers)) return abortedWriter(events);
    const { response } = this;
    const { writer, body } = nodeBody(response, events);
    if (response.destroyed) return writer;
    const reply = this.#setHead(status, contentType, headers);
    if (length === null) reply.removeHeader("content-length");
    else reply.header("content-length", `${length}`);
    // Fastify pipes the body after its hooks have run. Without this line, it would send the head only with the first
    // chunk.
    response.once("pipe", () => response.flushHeaders());
    reply.send(body);
    return writer;
  }

  protected override leaveResponse(): void {
    this.#reply.hijack();
  }

  #setHead(status: number, contentType: string | null, headers: readonly string[] | null): FastifyReply {
    const reply = this.#reply.code(status);
    if (headers !== null) {
      const record = headerRecord(headers);
      const hidden = record["__proto__"];
      if (hidden !== undefined) {
        // Fastify keeps its headers in an object that has no property of this name.
        this.response.setHeader("__proto__", hidden);
        delete record["__proto__"];
      }
      reply.headers(record);
    }
    if (!reply.hasHeader(noSniffName)) reply.header(noSniffName, noSniff);
    if (contentType === null) return reply.removeHeader("content-type");
    // If a serializer is set, Fastify does not change the content type.
    return reply.header("content-type", contentType).serializer(asItIs);
  }
}

function asItIs(payload: unknown): string {
  return payload as string;
}

/**
 * Returns Fastify's request of a `ctx`. Handlers and middleware of kit can read the values that hooks and plugins of
 * Fastify have added to this request.
 *
 * @example
 * ```ts
 * import { defineMiddleware } from "@kit/core";
 * import { fastifyRequest } from "@kit/server-fastify";
 *
 * export const requireUser = defineMiddleware<{ user: User }>(({ ctx }) => {
 *   const { user } = fastifyRequest(ctx);
 *   return user === null ? ctx.fail(401, "UNAUTHORIZED", "Log in first") : { user };
 * });
 * ```
 * @throws {TypeError} If the request did not come through Fastify: the application runs on another server, or was called with `app.fetch`.
 */
export function fastifyRequest(ctx: object): FastifyRequest {
  return exchangeOf(ctx, FastifyExchange, "fastifyRequest", "Fastify").fastifyRequest;
}
