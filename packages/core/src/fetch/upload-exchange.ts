import type { RequestBodyReader, ResponseBody, ResponseStreamEvents, ResponseWriter } from "@kit/types";

import { FetchBodyReader } from "./body-reader.ts";
import { FetchExchange } from "./fetch-exchange.ts";
import { requireUnreadBody } from "./read-body.ts";

/** Request of the Fetch standard to a route whose bodies arrive in chunks. */
export class FetchUploadExchange extends FetchExchange {
  override readonly bodyLength: number;
  readonly #reader: FetchBodyReader;

  /**
   * Creates the exchange before the body is read. `limit` is the maximum size of the body in bytes.
   *
   * @throws {TypeError} If the body was read before.
   */
  constructor(request: Request, limit: number) {
    requireUnreadBody(request);
    super(request, new Uint8Array(0));
    const declared = request.headers.get("content-length");
    this.bodyLength = request.body === null ? 0 : declared === null ? -1 : Number(declared);
    this.#reader = new FetchBodyReader(request.body, limit, request.signal);
  }

  readBody(): RequestBodyReader {
    return this.#reader;
  }

  override bodyText(): string | undefined {
    throw streamedError();
  }

  override bodyBytes(): Uint8Array {
    throw streamedError();
  }

  override respond(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void {
    super.respond(status, contentType, body, headers);
    this.#reader.cancel();
  }

  override respondStream(
    status: number,
    contentType: string | null,
    length: number | null,
    headers: readonly string[] | null,
    events: ResponseStreamEvents,
  ): ResponseWriter {
    const cancel = (): void => this.#reader.cancel();
    const writer = super.respondStream(status, contentType, length, headers, {
      drain: () => events.drain(),
      abort() {
        cancel();
        events.abort();
      },
    });
    return {
      write: (chunk) => writer.write(chunk),
      end() {
        cancel();
        writer.end();
      },
      destroy() {
        cancel();
        writer.destroy();
      },
    };
  }
}

function streamedError(): Error {
  const error = new Error("The request body arrives in chunks; read it with `readBody`");
  return Object.assign(error, { code: "ERR_KIT_BODY_STREAMED" });
}
