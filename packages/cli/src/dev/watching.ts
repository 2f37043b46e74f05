import type { DevelopmentEvent, WatchRequest } from "@kit/transform-native";

import { Watcher } from "./watcher.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Files that are watched, and what is to be done about them and otherwise: one thing after the other, for whoever waits. */
export class Watching {
  /** Hears of changes before whoever waits does; paths are relative to the root with slashes. */
  onChange: (files: readonly string[]) => void = () => undefined;
  #request: WatchRequest | undefined;
  #watcher: Watcher | undefined;
  /** Files that no build read, by who did. */
  readonly #more = new Map<string, readonly string[]>();
  #waiting: ((event: DevelopmentEvent) => void) | undefined;
  #pending: DevelopmentEvent | undefined;
  /** When what is done now, or was done last, began: what it read may have been edited since. */
  #began = Date.now();
  #hearsSignals = false;

  /** Looks at these files from now on. */
  watch(request: WatchRequest): void {
    this.#request = request;
    this.#look();
    this.#watcher?.wrote(request.written);
  }

  /** Looks at these too, in place of those that `who` said before. */
  also(who: "app" | "configuration", files: readonly string[]): void {
    this.#more.set(who, files);
    this.#look();
  }

  /** Settles when something is to be done. */
  next(): Promise<DevelopmentEvent> {
    if (!this.#hearsSignals) {
      this.#hearsSignals = true;
      for (const signal of signals) process.on(signal, () => this.tell({ kind: "quit" }));
    }
    return new Promise((resolve) => {
      this.#waiting = resolve;
      const pending = this.#pending;
      this.#pending = undefined;
      if (pending !== undefined) this.tell(pending);
    });
  }

  /** Something is to be done. Where nobody waits, it is kept until somebody does. */
  tell(event: DevelopmentEvent): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) {
      this.#pending = greater(this.#pending, event);
      return;
    }
    this.#began = Date.now();
    waiting(event);
  }

  close(): void {
    this.#watcher?.close();
  }

  #look(): void {
    if (this.#request === undefined) return;
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
        this.tell({ kind: "changed", files: changed });
      },
      (error) => process.stderr.write(`warning: some files cannot be watched: ${messageOf(error)}\n`),
    );
  }
}

const ranks = { checked: 0, changed: 1, rebuild: 2, failed: 3, quit: 4 } as const;

/** The event that does for both: to quit is not forgotten for a change that comes after it, and a type check is out of date after a change. */
function greater(a: DevelopmentEvent | undefined, b: DevelopmentEvent): DevelopmentEvent {
  if (a === undefined || ranks[b.kind] > ranks[a.kind]) return b;
  if (a.kind === "checked") return b;
  if (a.kind !== "changed" || b.kind !== "changed") return a;
  return { kind: "changed", files: [...new Set([...a.files, ...b.files])] };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
