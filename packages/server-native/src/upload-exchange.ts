import type { RequestBodyReader, ResponseBody, ResponseStreamEvents, ResponseWriter } from "@kit/types";

import { AddonBodyReader, type BodyReader, WholeBodyReader } from "./body-reader.ts";
import { NativeExchange } from "./exchange.ts";

/** Request to a route whose bodies arrive in chunks. */
export class UploadExchange extends NativeExchange {
  private reader: BodyReader | undefined;

  readBody(): RequestBodyReader {
    this.reader ??= this.createReader();
    return this.reader;
  }

  private createReader(): BodyReader {
    const { addon, server, bodies } = this.host;
    if (this.hasBodyInChunks) return new AddonBodyReader(addon, server, this.id, bodies);
    return new WholeBodyReader(() => super.bodyBytes());
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
    this.reader?.finish();
  }

  override respondStream(
    status: number,
    contentType: string | null,
    length: number | null,
    headers: readonly string[] | null,
    events: ResponseStreamEvents,
  ): ResponseWriter {
    const finish = (): void => this.reader?.finish();
    const writer = super.respondStream(status, contentType, length, headers, {
      drain: () => events.drain(),
      abort() {
        finish();
        events.abort();
      },
    });
    return {
      write: (chunk) => writer.write(chunk),
      end() {
        finish();
        writer.end();
      },
      destroy() {
        finish();
        writer.destroy();
      },
    };
  }
}

function streamedError(): Error {
  const error = new Error("The request body arrives in chunks; read it with `readBody`");
  return Object.assign(error, { code: "ERR_KIT_BODY_STREAMED" });
}
