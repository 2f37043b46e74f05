import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { threadId } from "node:worker_threads";

import type { TestedMessage, TestedResponse, TestedRequest } from "@kit/types";

import type { Contracts } from "./contracts.ts";
import { idOf, itemsOf } from "./items.ts";
import { Observer } from "./observe.ts";

/** Records which items of the contracts the requests of tests cover. */
export interface Recorder {
  /** Returns true if this recorder records the coverage of the application with these routes. */
  isOf(routes: readonly string[]): boolean;
  add(request: TestedRequest, answer: TestedResponse): void;
  /** Records a message of a WebSocket or an event that belongs to a request. */
  addMessage(request: TestedRequest, message: TestedMessage): void;
}

let recorder: Promise<Recorder | undefined> | undefined;

/** Returns the recorder of this process, or `undefined` if `kit test` has not requested coverage. */
export function recorderOfProcess(): Promise<Recorder | undefined> {
  recorder ??= open(process.env["KIT_TEST_CONTRACTS"], process.env["KIT_TEST_SEEN"]);
  return recorder;
}

async function open(contracts = "", directory = ""): Promise<Recorder | undefined> {
  if (contracts === "" || directory === "") return undefined;
  try {
    const module = (await import(/* @vite-ignore */ pathToFileURL(contracts).href)) as { default: Contracts };
    return new FileRecorder(module.default, directory);
  } catch (error) {
    // A failure to record coverage must not fail the tests.
    process.emitWarning(`Cannot record the coverage of contracts: ${String(error)}`);
    return undefined;
  }
}

/**
 * Writes the ids of covered items to a file, each once. Writes immediately, because the process does not know its last request and may be
 * killed. Each process and each thread writes its own file.
 */
class FileRecorder implements Recorder {
  readonly #observer: Observer;
  readonly #routes: string;
  readonly #file: string;
  /** Items without coverage so far: their ids, with their indexes in the list of all items. */
  readonly #open: Map<string, number>;

  constructor(contracts: Contracts, directory: string) {
    const items = itemsOf(contracts);
    // The list is equal in each process, because each process has the same contracts.
    writeFileSync(join(directory, `items.${process.pid}-${threadId}.json`), JSON.stringify(items));
    this.#file = join(directory, `seen.${process.pid}-${threadId}`);
    this.#observer = new Observer(contracts);
    this.#routes = JSON.stringify(contracts.application.routes.map(({ ref }) => ref));
    this.#open = new Map(items.map((item, index) => [idOf(item), index]));
  }

  isOf(routes: readonly string[]): boolean {
    return JSON.stringify(routes) === this.#routes;
  }

  add(request: TestedRequest, answer: TestedResponse): void {
    this.#write(this.#observer.see(request, answer));
  }

  addMessage(request: TestedRequest, message: TestedMessage): void {
    this.#write(this.#observer.seeMessage(request, message));
  }

  #write(ids: readonly string[]): void {
    let lines = "";
    for (const id of ids) {
      const index = this.#open.get(id);
      if (index !== undefined) lines += `${index}\n`;
      this.#open.delete(id);
    }
    if (lines !== "") appendFileSync(this.#file, lines);
  }
}
