// Validates AsyncAPI documents with the official parser of AsyncAPI.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";

import { Parser } from "@asyncapi/parser";

const goldens = new URL("../../crates/kit-emit/tests/goldens/", import.meta.url);

/** A newer version of AsyncAPI exists, which fewer tools read. */
const ignored = new Set<unknown>(["asyncapi-latest-version"]);

async function problemsOf(text: string): Promise<string[]> {
  const { document, diagnostics } = await new Parser().parse(text);
  const problems = diagnostics
    .filter(({ code }) => !ignored.has(code))
    .map(({ message, path }) => `${path.join(".")}: ${message}`);
  return document === undefined ? [...problems, "there is no document"] : problems;
}

describe("the AsyncAPI document is valid", () => {
  for (const program of ["bodies", "sockets"]) {
    test(`of the program ${program}`, async () => {
      const text = await readFile(new URL(`${program}/schemas/asyncapi.json`, goldens), "utf8");
      assert.deepEqual(await problemsOf(text), []);
      const broken = text.replaceAll('"action": "send"', '"action": "sent"');
      assert.notDeepEqual(await problemsOf(broken), [], "the parser finds a mistake");
    });
  }
});
