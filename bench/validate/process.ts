import { type ChildProcess, fork } from "node:child_process";

import { nextMessage } from "../messages.ts";
import type { Answer, Ask } from "./worker.ts";

/** Library that is measured, in its own process. */
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
  static async start(name: string, module: string): Promise<SubjectProcess> {
    const child = fork(new URL("worker.ts", import.meta.url), [module], {
      env: { ...process.env, NODE_ENV: "production" },
    });
    const answer = await nextMessage<Answer>(name, child);
    if (!("supported" in answer)) throw new Error(`${name} did not send its supported scenarios`);
    return new SubjectProcess(name, answer.supported, child);
  }

  /** Measures a scenario. Returns the nanoseconds per value. */
  async measure(scenario: string, milliseconds: number): Promise<number> {
    this.#child.send({ scenario, milliseconds } satisfies Ask);
    const answer = await nextMessage<Answer>(this.name, this.#child);
    if (!("nanoseconds" in answer)) throw new Error(`${this.name} sent no result for ${scenario}`);
    return answer.nanoseconds;
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }
}
