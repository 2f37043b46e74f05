// Checks the rules for hidden values against the cases that all runtimes share: `conformance/redaction.json`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";

import { credentialNames } from "../src/logging/credentials.ts";
import { compileRedactor } from "../src/logging/redact.ts";

interface Shared {
  readonly credentials: readonly string[];
  readonly paths: readonly {
    readonly patterns: readonly string[];
    readonly path: readonly string[];
    readonly hidden: boolean;
  }[];
  readonly messages: readonly {
    readonly patterns: readonly string[];
    readonly text: string;
    readonly redacted: string;
  }[];
  readonly names: readonly {
    readonly names: readonly string[];
    readonly path: readonly string[];
    readonly hidden: boolean;
  }[];
  readonly invalidPatterns: readonly string[];
}

const file = new URL("../../../conformance/redaction.json", import.meta.url);
const shared = JSON.parse(readFileSync(file, "utf8")) as Shared;

it("the log hides the values of all credential names in the list that Node and Rust share", () => {
  assert.deepEqual([...credentialNames].toSorted(), [...shared.credentials].toSorted());
});

it("patterns of logging.redact match the same paths in all runtimes", () => {
  for (const { patterns, path, hidden } of shared.paths) {
    assert.equal(compileRedactor(patterns).hides(path), hidden, `${patterns.join(", ")}: ${path.join(".")}`);
  }
});

it("names of sensitive properties hide the same paths in all runtimes", () => {
  for (const { names, path, hidden } of shared.names) {
    const redactor = compileRedactor([]);
    redactor.hideNames(names);
    assert.equal(redactor.hides(path), hidden, `${names.join(", ")}: ${path.join(".")}`);
  }
});

it("hidden values are removed from validation messages in the same way in all runtimes", () => {
  for (const { patterns, text, redacted } of shared.messages) {
    assert.equal(compileRedactor(patterns).redactMessage(text), redacted, text);
  }
});

it("a pattern in logging.redact is refused if one of the names in its path is empty", () => {
  for (const pattern of shared.invalidPatterns) assert.throws(() => compileRedactor([pattern]), TypeError);
});
