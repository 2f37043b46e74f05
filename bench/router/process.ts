import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

import type { Answer, Ask } from "./worker.ts";

/** JavaScript router in a separate process. */
export class SubjectProcess {
  readonly name: string;
  readonly supported: ReadonlySet<string>;
  readonly #child: ChildProcess;

  private constructor(name: string, supported: readonly string[], child: ChildProcess) {
    this.name = name;
    this.supported = new Set(supported);
    this.#child = child;
  }

  /** Starts a subject. Resolves when the subject is checked and warm. */
  static async start(name: string, sets: string, documents: string): Promise<SubjectProcess> {
    const child = fork(new URL("worker.ts", import.meta.url), [name, sets, documents], {
      env: { ...process.env, NODE_ENV: "production" },
      execArgv: ["--expose-gc"],
    });
    const answer = await next(name, child);
    if (!("supported" in answer)) throw new Error(`${name} did not say what it can do`);
    return new SubjectProcess(name, answer.supported, child);
  }

  /** Returns the nanoseconds for one unit of work, or the number of bytes. */
  async measure(set: string, scenario: string, milliseconds: number): Promise<number> {
    this.#child.send({ set, scenario, milliseconds } satisfies Ask);
    const answer = await next(this.name, this.#child);
    if (!("value" in answer)) throw new Error(`${this.name} did not measure ${set}/${scenario}`);
    return answer.value;
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }
}

async function next(name: string, child: ChildProcess): Promise<Answer> {
  const controller = new AbortController();
  const { signal } = controller;
  try {
    const [answer] = (await Promise.race([
      once(child, "message", { signal }),
      once(child, "exit", { signal }).then(([code]) => {
        throw new Error(`${name} ended with ${String(code)}`);
      }),
    ])) as [Answer];
    return answer;
  } finally {
    controller.abort();
  }
}
