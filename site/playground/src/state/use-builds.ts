import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import { Compiler } from "../compiler/compiler.ts";
import type { BuildOutcome, Files } from "../compiler/messages.ts";
import type { Built } from "./outputs.ts";

/** Time without a change after which a build starts, in milliseconds. */
const PAUSE = 150;

/** State of the compiler. */
export type Loading =
  | { readonly kind: "loading"; readonly part: number }
  | { readonly kind: "ready"; readonly compiler: Compiler }
  | { readonly kind: "failed"; readonly message: string };

/** Builds of the files that the user edits. */
export interface Builds {
  readonly loading: Loading;
  /** Loads the compiler again after a failure. */
  readonly retry: () => void;
  /** True until there is a result for the newest files. */
  readonly isBuilding: boolean;
  /** Last build, with the files that it read. */
  readonly last: { readonly files: Files; readonly outcome: BuildOutcome } | undefined;
  /** Last build without errors. */
  readonly built: { readonly files: Files; readonly outcome: Built } | undefined;
}

/** Returns true if a build wrote its output. */
export function succeeded(outcome: BuildOutcome | undefined): outcome is Built {
  return outcome?.kind === "built" && !outcome.answer.diagnostics.some(({ isError }) => isError);
}

/** Loads the compiler, and builds the files after each change. While a build runs, only the newest change waits. */
export function useBuilds(files: Files): Builds {
  const [loading, setLoading] = useState<Loading>({ kind: "loading", part: 0 });
  const [attempt, setAttempt] = useState(0);
  const [last, setLast] = useState<Builds["last"]>(undefined);
  const [built, setBuilt] = useState<Builds["built"]>(undefined);
  const waiting = useRef<Files | undefined>(undefined);
  const isRunning = useRef(false);

  useEffect(() => {
    setLoading({ kind: "loading", part: 0 });
    Compiler.load((part) => setLoading({ kind: "loading", part })).then(
      (compiler) => setLoading({ kind: "ready", compiler }),
      (error: Error) => setLoading({ kind: "failed", message: error.message }),
    );
  }, [attempt]);

  useEffect(() => {
    if (loading.kind !== "ready") return undefined;
    const { compiler } = loading;
    const start = async (): Promise<void> => {
      waiting.current = files;
      if (isRunning.current) return;
      isRunning.current = true;
      for (let next: Files | undefined; (next = waiting.current) !== undefined;) {
        waiting.current = undefined;
        const outcome = await compiler.build(next).catch(
          // A browser can refuse to start a worker, for example because it has no memory left.
          (error: unknown): BuildOutcome => ({
            kind: "failed",
            message: `The worker failed: ${String(error)}. Reload the page.`,
          }),
        );
        setLast({ files: next, outcome });
        if (succeeded(outcome)) setBuilt({ files: next, outcome });
      }
      isRunning.current = false;
    };
    const timer = setTimeout(() => void start(), last === undefined ? 0 : PAUSE);
    return () => clearTimeout(timer);
    // A build changes `last`, and must not start another build.
  }, [loading, files]);

  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  return { loading, retry, isBuilding: last?.files !== files, last, built };
}
