import type { ResponseBody } from "@kit/types";

import { noSniff, noSniffName, setsSniffing } from "./no-sniff.ts";
import { ResponseExchange } from "./response-exchange.ts";

/**
 * An exchange that no framework has seen, so that nobody but the server listens to how its answer is written: the head is
 * written in one call, which costs half of what setting its fields one by one does.
 */
export class DirectExchange extends ResponseExchange {
  protected override write(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void {
    const { response } = this;
    // Somebody has set headers after all, in a listener of the server itself; which of them stay is decided one by one.
    if (response.getHeaderNames().length !== 0) {
      super.write(status, contentType, body, headers);
      return;
    }
    // The client went away: there is nobody to write to.
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
