/**
 * Runs in each process that `kit test` starts, by `--import`: applications in the process find a {@link TestLink} and tell it of their
 * requests, whoever sends them. Everything else is loaded when the first application starts, since most processes have none.
 *
 * @module
 */
import type { TestLink, TestWatch } from "@kit/types";

const link: TestLink = {
  version: 1,
  async watch(routes): Promise<TestWatch | undefined> {
    const { recorderOfProcess } = await import("./recorder.ts");
    const recorder = await recorderOfProcess();
    // Tests may start other applications too, which have contracts of their own.
    return recorder?.isOf(routes) === true ? (request, answer) => recorder.add(request, answer) : undefined;
  },
};

Object.assign(globalThis, { [Symbol.for("kit.testing")]: link });
