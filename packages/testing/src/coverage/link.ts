/**
 * Connects applications to the coverage of contracts. `kit test` loads this module with `--import` into each
 * process that it starts. Applications in the process find a {@link TestLink} and report the requests of all
 * clients to it. The other modules for coverage are loaded when the first application starts, because most
 * processes start no application.
 *
 * @module
 */
import type { TestLink, TestRecorder } from "@kit/types";

const link: TestLink = {
  version: 2,
  async watch(routes): Promise<TestRecorder | undefined> {
    const { recorderOfProcess } = await import("./recorder.ts");
    const recorder = await recorderOfProcess();
    // Tests may also start other applications, with other contracts.
    if (recorder?.isOf(routes) !== true) return undefined;
    return {
      answered: (request, answer) => recorder.add(request, answer),
      messaged: (request, message) => recorder.addMessage(request, message),
    };
  },
};

Object.assign(globalThis, { [Symbol.for("kit.testing")]: link });
