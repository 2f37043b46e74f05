import type { ResponseBody } from "@kit/types";

import { noSniff, noSniffName, setsSniffing } from "./no-sniff.ts";
import { ResponseExchange } from "./response-exchange.ts";

/**
 * Exchange for a request that does not pass through a framework, so no other code observes how its response is written. The status and all
 * headers are written in one call, which takes half the time of a call for each header.
 */
export class DirectExchange extends ResponseExchange {
  protected override write(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void {
    const { response } = this;
    // A listener of the server has set headers. `ResponseExchange` decides for each of them if it stays.
    if (response.getHeaderNames().length !== 0) {
      super.write(status, contentType, body, headers);
      return;
    }
    // The client has disconnected, so there is nothing to write to.
    if (response.destroyed) return;
    const lines = headers === null ? [] : [...headers];
    if (!setsSniffing(lines)) lines.push(noSniffName, noSniff);
    if (contentType !== null) lines.push("content-type", contentType);
    const length = body === null ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length;
    if (status !== 204 && status !== 304) lines.push("content-length", `${length}`);
    response.writeHead(status, lines);
    if (body === null || this.method === "HEAD") response.end();
    else response.end(body);
  }
}
