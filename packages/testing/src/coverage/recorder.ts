import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { threadId } from "node:worker_threads";

import type { TestedAnswer, TestedRequest } from "@kit/types";

import type { Contracts } from "./contracts.ts";
import { idOf, itemsOf } from "./items.ts";
import { Observer } from "./observe.ts";

/** Keeps what requests show of the contracts, where `kit test` asked for it. */
export interface Recorder {
  /** Tells if an application with these routes, by their refs, is the one whose contracts are counted. */
  isOf(routes: readonly string[]): boolean;
  add(request: TestedRequest, answer: TestedAnswer): void;
}

let recorder: Promise<Recorder | undefined> | undefined;

/** The recorder of this process; nothing where nobody wants to know. */
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
    // Tests are worth more than what they cover.
    process.emitWarning(`What tests see of the contracts is not counted: ${String(error)}`);
    return undefined;
  }
}

/**
 * Writes each thing that is seen once, at once: nobody says when the last request was, and a process of tests may be ended. Each process and
 * each thread of a runner has a file of its own.
 */
class FileRecorder implements Recorder {
  readonly #observer: Observer;
  readonly #routes: string;
  readonly #file: string;
  /** What was not seen yet, and its number among the items. */
  readonly #open: Map<string, number>;

  constructor(contracts: Contracts, directory: string) {
    const items = itemsOf(contracts);
    // The same in each process, since each has the same contracts.
    writeFileSync(join(directory, `items.${process.pid}-${threadId}.json`), JSON.stringify(items));
    this.#file = join(directory, `seen.${process.pid}-${threadId}`);
    this.#observer = new Observer(contracts);
    this.#routes = JSON.stringify(contracts.application.routes.map(({ ref }) => ref));
    this.#open = new Map(items.map((item, index) => [idOf(item), index]));
  }

  isOf(routes: readonly string[]): boolean {
    return JSON.stringify(routes) === this.#routes;
  }

  add(request: TestedRequest, answer: TestedAnswer): void {
    let lines = "";
    for (const id of this.#observer.see(request, answer)) {
      const index = this.#open.get(id);
      if (index !== undefined) lines += `${index}\n`;
      this.#open.delete(id);
    }
    if (lines !== "") appendFileSync(this.#file, lines);
  }
}
