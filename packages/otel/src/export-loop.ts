import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import { type ExportResult, ExportResultCode, suppressTracing } from "@opentelemetry/core";

/** Items for one request to the collector. */
export interface Batch<T> {
  readonly items: T[];
  /** Called once. `isExported` is true if the collector has accepted the items. */
  complete(isExported: boolean): void;
}

/** Callbacks of an {@link ExportLoop}. */
export interface ExportLoopOptions<T> {
  readonly intervalMs: number;
  /** Returns the next batch, or `undefined` if no items wait. */
  take(): Batch<T> | undefined;
  /**
   * Sends items to the collector. The exporter repeats failed attempts, so this function is called once for
   * each batch.
   */
  send(items: T[], done: (result: ExportResult) => void): void;
  /** Called after the export of a batch has failed, with the reason if it is known. */
  onFailure(error?: Error): void;
}

/**
 * Sends batches one after the other, at intervals and after {@link ExportLoop.exportSoon}. Only one batch is on its way at any time, so
 * that a slow collector is not overloaded. The waiting items stay in the caller's queue.
 */
export class ExportLoop<T> {
  readonly #options: ExportLoopOptions<T>;
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<void> | undefined;
  /** Batch that is on its way to the collector. */
  #current: Batch<T> | undefined;
  #exportsSoon = false;
  #isStopped = false;
  #isOver = false;

  constructor(options: ExportLoopOptions<T>) {
    this.#options = options;
    this.#timer = setInterval(() => this.#start(), options.intervalMs).unref();
  }

  /** Starts an export without waiting for the interval. Has no effect while a batch is being sent. */
  exportSoon(): void {
    if (this.#exportsSoon || this.#isStopped || this.#sending !== undefined) return;
    this.#exportsSoon = true;
    // Deferred, so that the request that filled the queue does not wait for the export.
    setImmediate(() => {
      this.#exportsSoon = false;
      if (!this.#isStopped) this.#start();
    });
  }

  /** Sends waiting items for at most `timeoutMs` milliseconds, then drops the remaining items. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    const ending = (async () => {
      await this.#sending;
      await this.#sendAll();
    })();
    await Promise.race([ending, promise]);
    clearTimeout(timer);
    this.#isOver = true;
    // The exporter may still retry, but its result is ignored.
    this.#complete(false);
    for (let batch = this.#options.take(); batch !== undefined; batch = this.#options.take())
      batch.complete(false);
  }

  #start(): void {
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  /** Returns the next batch, or `undefined` if no items wait or the deadline of `stop` has passed. */
  #next(): Batch<T> | undefined {
    return this.#isOver ? undefined : this.#options.take();
  }

  /** Sends batches until none is left or an export fails. After a failure the loop waits for the next interval. */
  async #sendAll(): Promise<void> {
    for (let batch = this.#next(); batch !== undefined; batch = this.#next()) {
      if (!(await this.#send(batch))) return;
    }
  }

  async #send(batch: Batch<T>): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<ExportResult>();
    this.#current = batch;
    try {
      // Creates no spans for the export requests, because these spans would be exported in turn.
      context.with(suppressTracing(ROOT_CONTEXT), () => this.#options.send(batch.items, resolve));
    } catch (error) {
      resolve({
        code: ExportResultCode.FAILED,
        error: error instanceof Error ? error : new Error(String(error)),
      });
    }
    const { code, error } = await promise;
    const isExported = code === ExportResultCode.SUCCESS;
    this.#complete(isExported);
    if (!isExported) this.#options.onFailure(error);
    return isExported;
  }

  #complete(isExported: boolean): void {
    const batch = this.#current;
    this.#current = undefined;
    batch?.complete(isExported);
  }
}
