import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { isGlibc, loaderIsGlibc } from "../src/libc.ts";

test("the name of the loader in a program file tells which C library the program uses", async () => {
  const directory = await mkdtemp(join(tmpdir(), "kit-libc-"));
  try {
    const cases = [
      ["\u007FELF…/lib64/ld-linux-x86-64.so.2\0…", true],
      ["\u007FELF…/lib/ld-musl-aarch64.so.1\0…", false],
      ["\u007FELF, linked statically", undefined],
      ["", undefined],
      [`${" ".repeat(5000)}/lib/ld-musl-x86_64.so.1`, undefined],
    ] as const;
    for (const [text, expected] of cases) {
      const program = join(directory, "program");
      await writeFile(program, text);
      assert.equal(loaderIsGlibc(program), expected, text.slice(0, 40));
    }
    assert.equal(loaderIsGlibc(join(directory, "missing")), undefined);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("Node's report is used if the program names no loader, and gives the same C library", (t) => {
  if (process.platform !== "linux") return t.skip("only Linux has two C libraries");
  assert.equal(isGlibc(), isGlibc("/nowhere"));
});
