import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import { type ExportResult, ExportResultCode, suppressTracing } from "@opentelemetry/core";

/** Some telemetry that is sent together. */
export interface Batch<T> {
  readonly items: T[];
  /** Told once what became of it. */
  settle(isExported: boolean): void;
}

/** What a loop is made of. */
export interface LoopParts<T> {
  readonly intervalMs: number;
  /** The next that is to be sent; nothing where there is none. */
  take(): Batch<T> | undefined;
  /** The exporter, which tries again by itself. */
  send(items: T[], done: (result: ExportResult) => void): void;
  /** Why a batch was not taken. */
  onFailure(error?: Error): void;
}

/**
 * Sends batches, one after the other: at intervals, and at once where {@link ExportLoop.hurry} says that much waits. One at a time, so that a collector
 * that is slow has one request to work on, and what waits is bounded by the queue.
 */
export class ExportLoop<T> {
  readonly #parts: LoopParts<T>;
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<void> | undefined;
  /** What is being sent. */
  #current: Batch<T> | undefined;
  #isHurried = false;
  #isStopped = false;
  #isOver = false;

  constructor(parts: LoopParts<T>) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#start(), parts.intervalMs).unref();
  }

  /** Does not wait for the interval. Costs nothing while something is being sent. */
  hurry(): void {
    if (this.#isHurried || this.#isStopped || this.#sending !== undefined) return;
    this.#isHurried = true;
    // Not on the path of the request that filled the queue.
    setImmediate(() => {
      this.#isHurried = false;
      if (!this.#isStopped) this.#start();
    });
  }

  /** Sends what is there until the deadline, then drops the rest. */
  async stop(patienceMs: number): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patienceMs);
    const ending = (async () => {
      await this.#sending;
      await this.#sendAll();
    })();
    await Promise.race([ending, promise]);
    clearTimeout(timer);
    this.#isOver = true;
    // The exporter may go on trying, but nobody waits for it.
    this.#settle(false);
    for (let batch = this.#parts.take(); batch !== undefined; batch = this.#parts.take()) batch.settle(false);
  }

  #start(): void {
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  /** Nothing once nobody waits for it any more. */
  #next(): Batch<T> | undefined {
    return this.#isOver ? undefined : this.#parts.take();
  }

  /** Until nothing waits, or the collector does not take it: then there is no hurry. */
  async #sendAll(): Promise<void> {
    for (let batch = this.#next(); batch !== undefined; batch = this.#next()) {
      if (!(await this.#send(batch))) return;
    }
  }

  async #send(batch: Batch<T>): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<ExportResult>();
    this.#current = batch;
    try {
      // The collector's own requests are of no interest to whoever traces requests.
      context.with(suppressTracing(ROOT_CONTEXT), () => this.#parts.send(batch.items, resolve));
    } catch (error) {
      resolve({
        code: ExportResultCode.FAILED,
        error: error instanceof Error ? error : new Error(String(error)),
      });
    }
    const { code, error } = await promise;
    const isExported = code === ExportResultCode.SUCCESS;
    this.#settle(isExported);
    if (!isExported) this.#parts.onFailure(error);
    return isExported;
  }

  #settle(isExported: boolean): void {
    const batch = this.#current;
    this.#current = undefined;
    batch?.settle(isExported);
  }
}
