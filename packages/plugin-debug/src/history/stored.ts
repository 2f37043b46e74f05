import { randomUUID } from "node:crypto";
import { closeSync, fchmodSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";

import type { FinishedRequestView, ErrorRecord, LogEntry, RequestRecord, StreamRecord } from "@kit/types";

import type { ProcessHealth } from "../health/process-health.ts";
import type { History, LogSelection, Missed, RequestSelection, Selection } from "./history.ts";
import { Latency, mergeInto, type Routes, tierOf, tiers } from "./latency.ts";
import type { MemoryHistory } from "./memory.ts";
import type { Redaction } from "./redaction.ts";

const version = 1;
const schema = `
  CREATE TABLE requests (id INTEGER PRIMARY KEY, time REAL, request_id TEXT, route TEXT, status INTEGER, text TEXT);
  CREATE INDEX requests_by_request ON requests (request_id);
  CREATE TABLE errors (id INTEGER PRIMARY KEY, time REAL, request_id TEXT, text TEXT);
  CREATE INDEX errors_by_request ON errors (request_id);
  CREATE TABLE logs (id INTEGER PRIMARY KEY, time REAL, request_id TEXT, severity INTEGER, text TEXT);
  CREATE INDEX logs_by_request ON logs (request_id);
  CREATE TABLE slices (tier INTEGER, start REAL, route TEXT, process TEXT, text TEXT,
    PRIMARY KEY (tier, start, route, process)) WITHOUT ROWID;
  PRAGMA user_version = ${version};
`;
/** SQL of the table that contains the current state of each process of the server. */
const present =
  "CREATE TABLE IF NOT EXISTS processes (process TEXT PRIMARY KEY, time REAL, text TEXT) WITHOUT ROWID";
/** Time in milliseconds after which a process counts as ended if it has not written its state. */
const presentMs = 5_000;
const lists = ["requests", "errors", "logs"] as const;

const flushMs = 1_000;
/** Error code of SQLite if another process is writing to the file. */
const busy = 5;
/** Maximum time in milliseconds that a write waits for another process. It blocks the event loop. */
const busyMs = 100;
/**
 * Maximum number of requests that one flush writes. Writing a request costs as much as responding to several requests.
 */
const mostRequests = 200;
/** Maximum number of log entries, and of errors, that one flush writes. The newest entries are written. */
const mostEntries = 2_000;
/** Number of flushes between two removals of old rows. */
const flushesBetweenTrims = 64;
/**
 * Maximum number of steps of a trim. Each step removes a tenth of the rows, so an eighth of the rows remains after 20 steps. Latencies are never removed,
 * because they are limited already.
 */
const mostTrims = 20;

type Values = SQLInputValue[];

/** State of a process that it shares with the other processes. */
export interface ProcessState {
  readonly health: ProcessHealth;
  /** Requests in progress. */
  readonly active: readonly RequestRecord[];
  /** WebSockets and streams, open and ended. Absent in the state of a process with an earlier version. */
  readonly streams?: readonly StreamRecord[];
}

/** Functions that hide values in the entries of the file. */
type WrittenRedaction = Pick<Redaction, "request" | "error" | "log">;

/**
 * History in an SQLite file, which survives restarts. All processes of an application write to the same file,
 * so one process can show the requests of all. Requests are written within a second, and before the history
 * is read.
 */
export class StoredHistory implements History {
  readonly #database: DatabaseSync;
  readonly #memory: MemoryHistory;
  readonly #maxBytes: number;
  readonly #process: string = randomUUID();
  readonly #onFailure: (error: unknown) => void;
  readonly #redaction: WrittenRedaction;
  readonly #timer: NodeJS.Timeout;
  #present: (() => ProcessState) | undefined;
  #pending: RequestRecord[] = [];
  #missedRequests = 0;
  #lastError = 0;
  #lastLog = 0;
  #flushes = 0;
  /** True if the file can no longer be used, so that only the history in memory is used. */
  #isBroken = false;

  /**
   * Opens the file, or creates it. `redaction` hides the values that the sidecar does not show, before they are written.
   *
   * @throws {Error} if the file cannot be opened or created.
   */
  constructor(
    path: string,
    maxBytes: number,
    memory: MemoryHistory,
    redaction: WrittenRedaction,
    onFailure: (error: unknown) => void,
  ) {
    this.#memory = memory;
    this.#maxBytes = maxBytes;
    this.#onFailure = onFailure;
    this.#redaction = redaction;
    this.#database = open(path);
    this.#timer = setInterval(() => this.flush(), flushMs);
    this.#timer.unref();
  }

  /** Records a request that has finished. */
  answered(request: FinishedRequestView): void {
    if (this.#isBroken) return;
    if (this.#pending.length < mostRequests) this.#pending.push(request.record());
    else this.#missedRequests += 1;
  }

  /** Starts to share the state of this process with the other processes. `shown` returns the state. */
  share(shown: () => ProcessState): void {
    this.#present = shown;
  }

  /** Returns the states that the other processes share. */
  others(): ProcessState[] {
    return this.#read(
      () =>
        this.#texts("SELECT text FROM processes WHERE time >= ? AND process <> ?", [
          Date.now() - presentMs,
          this.#process,
        ]),
      () => [],
    );
  }

  get missed(): Missed {
    const { requests, errors } = this.#memory.missed;
    return { requests: requests + this.#missedRequests, errors };
  }

  requests(selection: RequestSelection): RequestRecord[] {
    return this.#read(
      () => {
        const { since = 0, limit, routes, status = 0 } = selection;
        const names = routes === undefined ? [] : [...routes];
        const isOneOf = routes === undefined ? "" : `AND route IN (${names.map(() => "?").join(", ")})`;
        return this.#texts(
          `SELECT text FROM requests WHERE time >= ? AND status >= ? ${isOneOf} ORDER BY id DESC LIMIT ?`,
          [since, status, ...names, limit],
        );
      },
      () => this.#memory.requests(selection),
    );
  }

  request(requestId: string): RequestRecord | undefined {
    const own = this.#memory.request(requestId);
    if (own !== undefined) return own;
    const sql = "SELECT text FROM requests WHERE request_id = ? ORDER BY id DESC LIMIT 1";
    return this.#read<RequestRecord[]>(
      () => this.#texts(sql, [requestId]),
      () => [],
    )[0];
  }

  errors(selection: Selection & { readonly requestId?: string | undefined }): ErrorRecord[] {
    const { since = 0, limit, requestId } = selection;
    return this.#read(
      () =>
        this.#texts(
          `SELECT text FROM errors WHERE time >= ? ${ofRequest(requestId)} ORDER BY id DESC LIMIT ?`,
          [since, ...given(requestId), limit],
        ),
      () => this.#memory.errors(selection),
    );
  }

  logs(selection: LogSelection): LogEntry[] {
    const { since = 0, limit, severity = 0, requestId } = selection;
    return this.#read(
      () =>
        this.#texts(
          `SELECT text FROM logs WHERE time >= ? AND severity >= ? ${ofRequest(requestId)} ORDER BY id DESC LIMIT ?`,
          [since, severity, ...given(requestId), limit],
        ),
      () => this.#memory.logs(selection),
    );
  }

  latency(windowMs: number): { readonly since: number; readonly routes: Routes } {
    const { since, slices } = this.slices(windowMs);
    const routes: Routes = new Map();
    for (const slice of slices.values()) mergeInto(routes, slice);
    return { since, routes };
  }

  slices(windowMs: number): ReturnType<History["slices"]> {
    return this.#read(
      () => {
        const tier = tierOf(windowMs);
        const { sliceMs } = tiers[tier]!;
        const since = Math.floor((Date.now() - windowMs) / sliceMs) * sliceMs;
        const slices = new Map<number, Routes>();
        const rows = this.#database
          .prepare("SELECT start, route, text FROM slices WHERE tier = ? AND start >= ? ORDER BY start")
          .all(tier, since) as { start: number; route: string; text: string }[];
        for (const { start, route, text } of rows) {
          const slice: Routes = slices.get(start) ?? new Map();
          slices.set(start, slice);
          // Several processes write rows for the same slice, so the rows are merged.
          mergeInto(slice, new Map([[route, Latency.read(text)]]));
        }
        return { since, sliceMs, slices };
      },
      () => this.#memory.slices(windowMs),
    );
  }

  /** Writes the entries since the last flush to the file. */
  flush(): void {
    if (this.#isBroken) return;
    try {
      this.#write();
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busy) this.#disable(error);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.flush();
    if (this.#present !== undefined) this.#removeOwnState();
    if (this.#database.isOpen) this.#database.close();
  }

  #write(): void {
    const database = this.#database;
    const { errorRing, logRing, latencies } = this.#memory;
    const redaction = this.#redaction;
    // Begins the transaction before it takes the entries. If another process writes for too long, the entries stay for the next
    // flush.
    database.exec("BEGIN IMMEDIATE");
    const requests = this.#pending;
    const errors = errorRing.after(this.#lastError).slice(-mostEntries);
    const logs = logRing.after(this.#lastLog).slice(-mostEntries);
    latencies.flush(Date.now());
    const slices = latencies.takeChanged();
    this.#pending = [];
    this.#flushes += 1;
    try {
      const intoRequests = database.prepare(
        "INSERT INTO requests (time, request_id, route, status, text) VALUES (?, ?, ?, ?, ?)",
      );
      for (const record of requests) {
        const { startTime, requestId, route, status } = record;
        intoRequests.run(startTime, requestId, route, status, JSON.stringify(redaction.request(record)));
      }
      const intoErrors = database.prepare("INSERT INTO errors (time, request_id, text) VALUES (?, ?, ?)");
      for (const { time, requestId, text } of errors) {
        const record = redaction.error(JSON.parse(text) as ErrorRecord);
        intoErrors.run(time, requestId, JSON.stringify(record));
      }
      const intoLogs = database.prepare(
        "INSERT INTO logs (time, request_id, severity, text) VALUES (?, ?, ?, ?)",
      );
      for (const { time, requestId, severity, text } of logs) {
        const entry = redaction.log(JSON.parse(text) as LogEntry);
        intoLogs.run(time, requestId, severity, JSON.stringify(entry));
      }
      const intoSlices = database.prepare("INSERT OR REPLACE INTO slices VALUES (?, ?, ?, ?, ?)");
      for (const { tier, start, route, latency } of slices)
        intoSlices.run(tier, start, route, this.#process, latency.write());
      if (this.#present !== undefined) {
        database
          .prepare("INSERT OR REPLACE INTO processes VALUES (?, ?, ?)")
          .run(this.#process, Date.now(), JSON.stringify(this.#present()));
      }
      if (this.#flushes % flushesBetweenTrims === 1) this.#forgetOld();
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
    this.#lastError = errors.at(-1)?.sequence ?? this.#lastError;
    this.#lastLog = logs.at(-1)?.sequence ?? this.#lastLog;
    this.#trim();
  }

  #removeOwnState(): void {
    try {
      this.#database.prepare("DELETE FROM processes WHERE process = ?").run(this.#process);
    } catch {
      // Without the removal, the other processes ignore the row after some seconds.
    }
  }

  #forgetOld(): void {
    const now = Date.now();
    this.#database.prepare("DELETE FROM processes WHERE time < ?").run(now - presentMs);
    const old = this.#database.prepare("DELETE FROM slices WHERE tier = ? AND start < ?");
    for (const [tier, { keepMs, sliceMs }] of tiers.entries()) old.run(tier, now - keepMs - sliceMs);
  }

  /** Removes the oldest tenth of the rows of every list, again and again, until the data is smaller than 90% of its maximum. */
  #trim(): void {
    const database = this.#database;
    if (this.#bytes() <= this.#maxBytes) return;
    for (let round = 0; round < mostTrims && this.#bytes() > this.#maxBytes * 0.9; round += 1) {
      for (const list of lists)
        database.exec(
          `DELETE FROM ${list} WHERE id <= (SELECT min(id) + (max(id) - min(id)) / 10 FROM ${list})`,
        );
    }
    // Shrinks the file, and moves the write-ahead log into it.
    database.exec("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** Returns the bytes of the file's pages that contain data. */
  #bytes(): number {
    const { bytes } = this.#database
      .prepare(
        "SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
      )
      .get() as { bytes: number };
    return bytes;
  }

  #texts<T>(sql: string, values: Values): T[] {
    const rows = this.#database.prepare(sql).all(...values) as { text: string }[];
    return rows.map(({ text }) => JSON.parse(text) as T);
  }

  #read<T>(read: () => T, otherwise: () => T): T {
    this.flush();
    if (this.#isBroken) return otherwise();
    try {
      return read();
    } catch (error) {
      this.#disable(error);
      return otherwise();
    }
  }

  #disable(error: unknown): void {
    this.#isBroken = true;
    this.#pending = [];
    this.#onFailure(error);
  }
}

function open(path: string): DatabaseSync {
  // Loaded on demand, because loading takes time and few applications store the history in a file.
  const sqlite = process.getBuiltinModule("node:sqlite");
  mkdirSync(dirname(path), { recursive: true });
  // Only this user may read the file, because it contains data of requests. An existing file may have had other
  // permissions.
  const file = openSync(path, "a", 0o600);
  try {
    fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
  const database = new sqlite.DatabaseSync(path);
  try {
    // Several processes may write at the same time. After a power failure, about a second of history is
    // missing.
    database.exec(
      "PRAGMA busy_timeout = 5000; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF",
    );
    database.exec("BEGIN IMMEDIATE");
    const { user_version: found } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    if (found === 0) database.exec(schema);
    else if (found !== version)
      throw new Error(
        `another version of @kit/plugin-debug created ${path}: delete this file, or name another file`,
      );
    database.exec(present);
    database.exec(`COMMIT; PRAGMA busy_timeout = ${busyMs}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function ofRequest(requestId: string | undefined): string {
  return requestId === undefined ? "" : "AND request_id = ?";
}

function given(requestId: string | undefined): Values {
  return requestId === undefined ? [] : [requestId];
}
