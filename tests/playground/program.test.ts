// Tests the compiler as WebAssembly: `cargo build -p kit-playground --target wasm32-wasip1` builds the program, which this file runs with
// the WASI of Node. Skipped if the program is not there.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { WASI } from "node:wasi";

import { Project } from "../e2e/support/project.ts";
import { contents, examples, MISTAKE, program, projectOf, withoutProgram as skip } from "./examples.ts";

/** Time that both compilers write into files. */
const SOURCE_DATE_EPOCH = "1700000000";

interface Mistake {
  readonly code: string | null;
  readonly isError: boolean;
  readonly message: string;
  readonly place: { readonly path: string; readonly start: number; readonly end: number } | null;
}

interface Answer {
  readonly outputDir: string;
  readonly diagnostics: readonly Mistake[];
  readonly rust: readonly { readonly path: string; readonly text: string }[];
  readonly rustMistakes: readonly Mistake[];
}

/** The engine of Node, which the types of Node do not declare. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    compile(bytes: Uint8Array): Promise<object>;
    instantiate(module: object, imports: object): Promise<object>;
  };
};

const compiled = skip === false ? await WebAssembly.compile(await readFile(program!)) : undefined;

/** Builds a directory with the compiler as WebAssembly, which sees no other file of this machine. */
async function build(root: string): Promise<Answer> {
  const path = `${root}.answer`;
  const output = await open(path, "w");
  try {
    const wasi = new WASI({
      version: "preview1",
      args: ["kit-playground", "/project"],
      env: { SOURCE_DATE_EPOCH },
      preopens: { "/project": root },
      stdout: output.fd,
      returnOnExit: true,
    });
    const instance = await WebAssembly.instantiate(compiled!, wasi.getImportObject());
    assert.equal(wasi.start(instance), 0);
    return JSON.parse(await readFile(path, "utf8")) as Answer;
  } finally {
    await output.close();
    await rm(path);
  }
}

describe("the compiler as WebAssembly", { skip }, () => {
  for (const name of examples.keys()) {
    if (name === MISTAKE) continue;
    test(`writes the files of kit build for the example ${name}, byte for byte`, async () => {
      const project = await projectOf(name);
      const copy = `${project.root}-wasm`;
      try {
        await cp(project.root, copy, { recursive: true, filter: (path) => !path.endsWith("node_modules") });
        const answer = await build(copy);
        assert.deepEqual(
          answer.diagnostics.filter(({ isError }) => isError),
          [],
        );
        assert.ok(
          answer.rust.some(({ path }) => path.endsWith("router.rs")),
          "no Rust server was generated",
        );

        const built = await project.kit(["build"], { env: { SOURCE_DATE_EPOCH } });
        assert.equal(built.code, 0, built.stdout + built.stderr);
        const [expected, actual] = [
          await contents(join(project.root, ".kit")),
          await contents(join(copy, answer.outputDir)),
        ];
        assert.ok(Object.keys(expected).length > 5, "kit build wrote nothing");
        assert.deepEqual(actual, expected);
      } finally {
        await rm(copy, { recursive: true, force: true });
        await project.remove();
      }
    });
  }

  test("reports mistakes with their ranges, and writes nothing", async () => {
    const text = examples.get(MISTAKE)!.get("src/api.ts")!;
    const project = await projectOf(MISTAKE);
    await rm(join(project.root, "node_modules"));
    try {
      const answer = await build(project.root);
      const marked = answer.diagnostics
        .filter(({ isError }) => isError)
        .map(({ place }) => text.slice(place!.start, place!.end));
      assert.ok(
        marked.some((part) => part.includes("emial")),
        JSON.stringify(answer.diagnostics),
      );
      assert.deepEqual(answer.rust, []);
      assert.equal(existsSync(join(project.root, ".kit")), false);
    } finally {
      await project.remove();
    }
  });

  test("refuses a kit.config.ts, which it cannot run", async () => {
    const project = await Project.of(new Map([["kit.config.ts", "export default {};\n"]]));
    await rm(join(project.root, "node_modules"));
    try {
      const { diagnostics } = await build(project.root);
      assert.match(
        diagnostics[0]!.message,
        /^`kit\.config\.ts` is a program, which the playground does not run$/,
      );
    } finally {
      await project.remove();
    }
  });
});
