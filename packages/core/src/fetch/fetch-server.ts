import type { ServerService } from "@kit/types";

import { FetchExchange } from "./fetch-exchange.ts";
import { declaresMore, readFetchBody } from "./read-body.ts";
import { FetchUploadExchange } from "./upload-exchange.ts";

/** Returns the path of a request, with its query. */
function targetOf({ url }: Request): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Serves requests of the Fetch standard, and waits for requests in progress when the application closes. */
export class FetchServer {
  #active = 0;
  #onIdle: (() => void) | undefined;

  /** Number of requests whose response is not complete. */
  get active(): number {
    return this.#active;
  }

  /**
   * Runs the pipeline for a request. Rejects only if the body of the request cannot be read: every error of the
   * application becomes a response.
   */
  async handle(service: ServerService, request: Request): Promise<Response> {
    this.#active += 1;
    let exchange: FetchExchange;
    try {
      const limit = service.bodyLimits?.of(request.method, targetOf(request)) ?? service.limits.bodyBytes;
      const isStreamed =
        service.streamedBodies?.has(request.method, targetOf(request)) === true &&
        !declaresMore(request, limit);
      exchange = isStreamed
        ? new FetchUploadExchange(request, limit)
        : new FetchExchange(request, await readFetchBody(request, limit));
    } catch (error) {
      this.#noteEnd();
      throw error;
    }
    // A streamed body may end long after the response exists.
    void exchange.ended.then(() => this.#noteEnd());
    service.handle(exchange);
    return exchange.response;
  }

  #noteEnd(): void {
    this.#active -= 1;
    if (this.#active === 0) this.#onIdle?.();
  }

  /** Waits until every request has its complete response, at most `graceMs` milliseconds. */
  async close(graceMs: number): Promise<void> {
    if (this.#active === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    const timer = setTimeout(resolve, graceMs);
    await promise;
    clearTimeout(timer);
  }
}
