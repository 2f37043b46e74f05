import type { DevelopmentEvent, WatchRequest } from "@kit/transform-native";

import { Watcher } from "./watcher.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Watches files and queues the events of a build in watch mode: changed files, keys and signals. Each call of `next`
 * delivers one event.
 */
export class EventQueue {
  /** Called for each group of changed files, before `next` resolves. Paths are relative to the root, with slashes. */
  onChange: (files: readonly string[]) => void = () => undefined;
  #request: WatchRequest | undefined;
  #watcher: Watcher | undefined;
  /** Further watched files, which no build reads, by the part of the program that watches them. */
  readonly #more = new Map<string, readonly string[]>();
  #waiting: ((event: DevelopmentEvent) => void) | undefined;
  #pending: DevelopmentEvent | undefined;
  /**
   * Time at which the last event was delivered. Files that were edited later may have been read by the build
   * that the event started.
   */
  #began = Date.now();
  #hearsSignals = false;
  #isClosed = false;

  /** Starts watching these files in place of the files of an earlier call. */
  watch(request: WatchRequest): void {
    this.#request = request;
    this.#look();
    this.#watcher?.ignoreWritten(request.written);
  }

  /** Watches further files. Replaces the files of an earlier call with the same `who`. */
  watchAlso(who: "app" | "configuration", files: readonly string[]): void {
    this.#more.set(who, files);
    this.#look();
  }

  /** Resolves to the next event. */
  next(): Promise<DevelopmentEvent> {
    if (!this.#hearsSignals) {
      this.#hearsSignals = true;
      for (const signal of signals) process.on(signal, () => this.deliver({ kind: "quit" }));
    }
    return new Promise((resolve) => {
      this.#waiting = resolve;
      const pending = this.#pending;
      this.#pending = undefined;
      if (pending !== undefined) this.deliver(pending);
    });
  }

  /** Delivers an event to the caller of `next`. If nobody waits, keeps the event for the next call. */
  deliver(event: DevelopmentEvent): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) {
      this.#pending = greater(this.#pending, event);
      return;
    }
    this.#began = Date.now();
    waiting(event);
  }

  /** Stops watching. Later calls of `watch` and `watchAlso` have no effect. */
  close(): void {
    this.#isClosed = true;
    this.#watcher?.close();
  }

  #look(): void {
    // The application may report the files of a linked package while `kit dev` closes the application. A watcher that is opened then would
    // never be closed, and the process would never exit.
    if (this.#isClosed || this.#request === undefined) return;
    const { root, ignored, tests, files } = this.#request;
    const watched = { root, ignored, tests, files: [...files, ...[...this.#more.values()].flat()] };
    if (this.#watcher !== undefined) {
      this.#watcher.update(watched, this.#began);
      return;
    }
    this.#watcher = new Watcher(
      watched,
      (changed) => {
        this.onChange(changed);
        this.deliver({ kind: "changed", files: changed });
      },
      (error) => process.stderr.write(`warning: some files cannot be watched: ${messageOf(error)}\n`),
    );
  }
}

const ranks = { checked: 0, changed: 1, rebuild: 2, failed: 3, quit: 4 } as const;

/**
 * Merges two events that wait. `quit` is never replaced. A change of a file replaces the result of a type
 * check, because the result is out of date.
 */
function greater(a: DevelopmentEvent | undefined, b: DevelopmentEvent): DevelopmentEvent {
  if (a === undefined || ranks[b.kind] > ranks[a.kind]) return b;
  if (a.kind === "checked") return b;
  if (a.kind !== "changed" || b.kind !== "changed") return a;
  return { kind: "changed", files: [...new Set([...a.files, ...b.files])] };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
