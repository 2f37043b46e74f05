import { headerRecord, NodeExchange, type RequestBody } from "@kit/server-node";
import type { ResponseBody } from "@kit/types";
import type { FastifyReply, FastifyRequest } from "fastify";

/** An exchange that answers through Fastify, so that its `onSend` and `onResponse` hooks see the answer. */
export class FastifyExchange extends NodeExchange {
  readonly #reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply, body: RequestBody) {
    super(request.raw, reply.raw, request.raw.url!, body);
    this.#reply = reply;
  }

  protected override write(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void {
    const reply = this.#reply.code(status);
    if (headers !== null) reply.headers(headerRecord(headers));
    if (contentType === null) reply.removeHeader("content-type");
    // With a serializer Fastify leaves the content type as it is.
    else reply.header("content-type", contentType).serializer(asItIs);
    if (this.method === "HEAD" && status !== 204 && status !== 304) {
      reply.header("content-length", `${body === null ? 0 : Buffer.byteLength(body)}`);
    }
    reply.send(body ?? undefined);
  }
}

function asItIs(payload: unknown): string {
  return payload as string;
}
