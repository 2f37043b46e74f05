import type {
  FinishedRequestView,
  ErrorRecord,
  LogEntry,
  LogLevel,
  RequestHistory,
  RequestRecord,
} from "@kit/types";

import { EntryRing, type KeptText } from "./entry-ring.ts";
import type { History, LogSelection, Missed, RequestSelection, Selection } from "./history.ts";
import { LatencyHistory, type Routes } from "./latency.ts";

/** Severity numbers by level, as in OpenTelemetry. */
export const severities: Readonly<Record<LogLevel, number>> = {
  trace: 1,
  debug: 5,
  info: 9,
  warn: 13,
  error: 17,
  fatal: 21,
};

const errorBytes = 8 * 1024 * 1024;
const logBytes = 16 * 1024 * 1024;
/**
 * Maximum number of errors per second that are recorded. A description of an error needs file accesses, and a client could cause many
 * errors on purpose.
 */
const errorsPerSecond = 100;

/** History in the memory of this process. The runtime itself stores the requests; they are converted when a list is requested. */
export class MemoryHistory implements History {
  readonly errorRing: EntryRing;
  readonly logRing: EntryRing;
  readonly latencies: LatencyHistory = new LatencyHistory();
  readonly #keep: number;
  #requests: RequestHistory | null = null;
  #second = 0;
  #errorsInSecond = 0;
  #missedErrors = 0;
  #lastTimestamp = "";
  #lastTime = 0;

  constructor(keep: number) {
    this.#keep = keep;
    this.errorRing = new EntryRing(keep, errorBytes);
    this.logRing = new EntryRing(keep * 10, logBytes);
  }

  attach(requests: RequestHistory | null): void {
    this.#requests = requests;
  }

  get missed(): Missed {
    return { requests: 0, errors: this.#missedErrors };
  }

  answered({ route, startTime, durationMs, status }: FinishedRequestView): void {
    this.latencies.record(route ?? "", durationMs, status >= 500, startTime + durationMs);
  }

  failed(describe: () => ErrorRecord): void {
    const now = Date.now();
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#errorsInSecond = 0;
    }
    this.#errorsInSecond += 1;
    if (this.#errorsInSecond > errorsPerSecond) {
      this.#missedErrors += 1;
      return;
    }
    const record = describe();
    const { requestId } = record;
    this.errorRing.push({ time: now, requestId, severity: 0, text: JSON.stringify(record) });
  }

  /** Records a log entry. `json` returns the entry as JSON. */
  logged(entry: LogEntry, json: () => string): void {
    this.logRing.push({
      time: this.#timeOf(entry.timestamp),
      requestId: entry.requestId ?? null,
      severity: severities[entry.level],
      text: json(),
    });
  }

  /** Parses the time of a log entry. Caches the last result, because under load many entries have the same timestamp. */
  #timeOf(timestamp: string): number {
    if (timestamp !== this.#lastTimestamp) {
      this.#lastTimestamp = timestamp;
      this.#lastTime = Date.parse(timestamp);
    }
    return this.#lastTime;
  }

  requests(selection: RequestSelection): RequestRecord[] {
    const isWhole = selection.since === undefined && selection.routes === undefined && !selection.status;
    const limit = isWhole ? selection.limit : this.#requests?.capacity;
    const records = this.#requests?.recent({ limit: Math.min(limit ?? 0, this.#keep) }) ?? [];
    return records.filter((record) => isSelected(record, selection)).slice(0, selection.limit);
  }

  /** Returns at most `limit` requests after a sequence number, the oldest first. */
  requestsAfter(after: number, limit: number): RequestRecord[] {
    return this.#requests?.recent({ after, limit }).toReversed() ?? [];
  }

  active(): RequestRecord[] {
    return this.#requests?.active() ?? [];
  }

  get finishedCount(): number {
    return this.#requests?.finishedCount ?? 0;
  }

  get activeCount(): number {
    return this.#requests?.activeCount ?? 0;
  }

  request(requestId: string): RequestRecord | undefined {
    return this.#requests?.find(requestId);
  }

  errors({
    since,
    limit,
    requestId,
  }: Selection & { readonly requestId?: string | undefined }): ErrorRecord[] {
    return select(this.errorRing, limit, (entry) => isAfter(entry, since) && isOf(entry, requestId));
  }

  logs({ since, limit, severity = 0, requestId }: LogSelection): LogEntry[] {
    return select(
      this.logRing,
      limit,
      (entry) => entry.severity >= severity && isAfter(entry, since) && isOf(entry, requestId),
    );
  }

  latency(windowMs: number): { readonly since: number; readonly routes: Routes } {
    return this.latencies.window(windowMs, Date.now());
  }

  slices(windowMs: number): ReturnType<History["slices"]> {
    return this.latencies.slices(windowMs, Date.now());
  }
}

/** Returns true if a request meets the conditions. */
export function isSelected(record: RequestRecord, { since, routes, status = 0 }: RequestSelection): boolean {
  return (
    (since === undefined || record.startTime >= since) &&
    (routes === undefined || (record.route !== null && routes.has(record.route))) &&
    record.status >= status
  );
}

function select<T>(ring: EntryRing, limit: number, isWanted: (entry: KeptText) => boolean): T[] {
  const found: T[] = [];
  for (const entry of ring.newest()) {
    if (found.length >= limit) break;
    if (isWanted(entry)) found.push(JSON.parse(entry.text) as T);
  }
  return found;
}

function isAfter({ time }: KeptText, since: number | undefined): boolean {
  return since === undefined || time >= since;
}

function isOf(entry: KeptText, requestId: string | undefined): boolean {
  return requestId === undefined || entry.requestId === requestId;
}
