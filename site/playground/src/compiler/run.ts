import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";

import { directoryOf, filesBelow } from "./file-system.ts";
import type { Answer, Files, BuildOutcome } from "./messages.ts";

/** Exports of the program that its start needs. */
interface Program {
  readonly exports: { readonly memory: WebAssembly.Memory; readonly _start: () => unknown };
}

/**
 * Builds a project. Each build is a new instance with a file system of its own, so a build that the compiler did not survive has no effect
 * on the next build.
 */
export async function run(module: WebAssembly.Module, files: Files): Promise<BuildOutcome> {
  const began = performance.now();
  const root = directoryOf(files);
  const output = new Text();
  const errors = new Text();
  const wasi = new WASI(
    ["kit-playground", "/project"],
    [],
    [
      new OpenFile(new File([])),
      new ConsoleStdout((bytes) => output.add(bytes)),
      new ConsoleStdout((bytes) => errors.add(bytes)),
      new PreopenDirectory("/project", root),
    ],
    // By default, the library writes each call to the console.
    { debug: false },
  );
  let code: number;
  try {
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
    code = wasi.start(instance as unknown as Program);
  } catch (error) {
    // A panic is a trap, and a recursion that is too deep is a RangeError.
    const cause = errors.text() || (error instanceof Error ? error.message : String(error));
    return { kind: "failed", message: `The compiler crashed, which is a defect of kit: ${cause.trim()}` };
  }
  if (code !== 0) return { kind: "failed", message: errors.text().trim() };
  const answer = JSON.parse(output.text()) as Answer;
  return {
    kind: "built",
    answer,
    files: answer.outputDir === "" ? [] : filesBelow(root, answer.outputDir),
    milliseconds: performance.now() - began,
  };
}

/** Output of the program, which arrives in parts. */
class Text {
  readonly #decoder = new TextDecoder();
  #parts: string[] = [];

  add(bytes: Uint8Array): void {
    // The decoder keeps bytes of a character that is not complete yet.
    this.#parts.push(this.#decoder.decode(bytes, { stream: true }));
  }

  text(): string {
    return this.#parts.join("");
  }
}
