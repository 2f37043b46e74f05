/** Script of the worker, in which the compiler runs, so that the page stays usable during a build. */
import type { WorkerRequest } from "./messages.ts";
import { run } from "./run.ts";

let compiler: WebAssembly.Module | undefined;

self.addEventListener("message", async ({ data }: MessageEvent<WorkerRequest>) => {
  if (data.kind === "start") {
    compiler = data.module;
    return;
  }
  const outcome = await run(compiler!, data.files).catch((error: unknown) => ({
    kind: "failed",
    message: `The compiler could not run: ${error instanceof Error ? error.message : String(error)}`,
  }));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the page that started a worker has no other origin
  self.postMessage(outcome);
});
