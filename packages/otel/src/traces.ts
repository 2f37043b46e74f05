import type {
  ExportCounts,
  RequestHistory,
  RequestObserver,
  RequestRecord,
  TelemetrySettings,
} from "@kit/types";
import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import {
  ParentBasedSampler,
  type ReadableSpan,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";

import { ActiveSpan } from "./active-span.ts";
import { ExternalSpans } from "./external-spans.ts";
import { Counter } from "./counter.ts";
import { type Batch, ExportLoop } from "./export-loop.ts";
import { spanExporter } from "./exporters.ts";
import { Queue } from "./queue.ts";
import { readableSpans } from "./spans.ts";

/** Sizes of a batch: about a thousand spans. */
const requestsOfBatch = 128;
const spansOfBatch = 512;

/**
 * Exports the traces of requests, including spans that other instrumentation creates in them. Request records stay in the runtime's history
 * until they are sent. Only then are the records converted to spans, so a dropped record costs no conversion.
 */
export class Traces {
  readonly observe: Required<Pick<RequestObserver, "around" | "isSampled">> & RequestObserver;
  /** Provider that gives tracers to other instrumentation. */
  readonly provider: TracerProvider;
  readonly #requests: Counter;
  readonly #spans: Counter;
  readonly #queue: Queue<ReadableSpan>;
  readonly #resource: Resource;
  readonly #loop: ExportLoop<ReadableSpan>;
  readonly #exporter: ReturnType<typeof spanExporter>;
  readonly #halfFull: number;
  #history: RequestHistory | undefined;
  /** Position in the history. All finished requests before it have been read. */
  #next = 0;
  /** Number of sampled requests that have finished and have not been read yet. */
  #waiting = 0;

  constructor(settings: TelemetrySettings, resource: Resource, onLoss: (error?: Error) => void) {
    this.#requests = new Counter(onLoss);
    this.#spans = new Counter(onLoss);
    this.#resource = resource;
    this.#halfFull = Math.ceil(settings.queueSize / 2);
    this.#queue = new Queue(settings.queueSize, this.#spans, () => this.#loop.exportSoon());
    this.#exporter = spanExporter(settings);
    const exporter = this.#exporter;
    this.#loop = new ExportLoop({
      intervalMs: settings.exportIntervalMs,
      take: () => this.#take(),
      send: (spans, done) => exporter.export(spans, done),
      onFailure: onLoss,
    });
    const byRatio = new TraceIdRatioBasedSampler(settings.sampleRatio);
    const queue = this.#queue;
    const calls = new ExternalSpans();
    this.provider = new TracerProvider({
      resource,
      sampler: new ParentBasedSampler({ root: byRatio }),
      spanProcessors: [
        {
          onStart: (span, parent) => calls.begin(span, parent),
          onEnd: (span) => {
            calls.end(span);
            if ((span.spanContext().traceFlags & 1) === 1) queue.add(span);
          },
          forceFlush: () => Promise.resolve(),
          shutdown: () => Promise.resolve(),
        },
      ],
    });
    this.observe = {
      capacity: settings.queueSize,
      spans: true,
      onResponse: ({ isSampled }) => {
        if (isSampled) this.#noteAnswer();
      },
      around: (span, run) => context.with(trace.setSpan(context.active(), new ActiveSpan(span)), run),
      isSampled: ({ traceId, isParentSampled }) =>
        isParentSampled ??
        byRatio.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED,
    };
  }

  counts(): { readonly requests: ExportCounts; readonly spans: ExportCounts } {
    this.#readRequests(0);
    return { requests: this.#requests.counts(), spans: this.#spans.counts() };
  }

  /** Returns the numbers of requests and spans that were dropped since the last call. */
  takeUnreportedDrops(): { readonly requests: number; readonly spans: number } {
    return { requests: this.#requests.takeUnreportedDrops(), spans: this.#spans.takeUnreportedDrops() };
  }

  begin(history: RequestHistory): void {
    this.#history = history;
  }

  async stop(patienceMs: number): Promise<void> {
    await this.#loop.stop(patienceMs);
    // Not awaited, because the exporter continues to repeat an export whose result no longer matters.
    void this.#exporter.shutdown().catch(() => undefined);
  }

  #noteAnswer(): void {
    this.#requests.add(1);
    this.#waiting += 1;
    if (this.#waiting === this.#halfFull) this.#loop.exportSoon();
  }

  #take(): Batch<ReadableSpan> | undefined {
    const records = this.#readRequests(requestsOfBatch);
    const others = this.#queue.take(spansOfBatch);
    if (records.length === 0 && others.length === 0) return undefined;
    const items = records.flatMap((record) => readableSpans(record, this.#resource)).concat(others);
    return {
      items,
      complete: (isExported) => {
        this.#requests.complete(records.length, isExported);
        this.#spans.complete(others.length, isExported);
      },
    };
  }

  /** Returns the records of the requests to export next. Counts the dropped requests. */
  #readRequests(limit: number): readonly RequestRecord[] {
    if (this.#history === undefined || this.#waiting === 0) return [];
    const { records, next, left } = this.#history.finished(this.#next, { limit, sampled: true });
    this.#next = next;
    // A request that was counted, but is neither in the batch nor waiting, has been overwritten by a later
    // one.
    this.#requests.drop(this.#waiting - records.length - left);
    this.#waiting = left;
    return records;
  }
}
