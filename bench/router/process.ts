import { type ChildProcess, fork } from "node:child_process";

import { nextMessage } from "../messages.ts";
import type { Answer, Ask } from "./worker.ts";

/** Router in JavaScript in its own process. */
export class SubjectProcess {
  readonly name: string;
  readonly supported: ReadonlySet<string>;
  readonly #child: ChildProcess;

  private constructor(name: string, supported: readonly string[], child: ChildProcess) {
    this.name = name;
    this.supported = new Set(supported);
    this.#child = child;
  }

  /** Starts a subject. Resolves when its results have been checked and it is warmed up. */
  static async start(name: string, sets: string, documents: string): Promise<SubjectProcess> {
    const child = fork(new URL("worker.ts", import.meta.url), [name, sets, documents], {
      env: { ...process.env, NODE_ENV: "production" },
      execArgv: ["--expose-gc"],
    });
    const answer = await nextMessage<Answer>(name, child);
    if (!("supported" in answer)) throw new Error(`${name} did not send its supported scenarios`);
    return new SubjectProcess(name, answer.supported, child);
  }

  /** Measures a scenario. Returns the nanoseconds for one unit of work, or the bytes if the scenario is `memory`. */
  async measure(set: string, scenario: string, milliseconds: number): Promise<number> {
    this.#child.send({ set, scenario, milliseconds } satisfies Ask);
    const answer = await nextMessage<Answer>(this.name, this.#child);
    if (!("value" in answer)) throw new Error(`${this.name} sent no result for ${set}/${scenario}`);
    return answer.value;
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }
}
