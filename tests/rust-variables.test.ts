// Tests that users find each environment variable that a Rust server reads.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { serverVariables } from "../packages/plugin-rust-server/src/variables.ts";

const repository = join(import.meta.dirname, "..");
const runtime = join(repository, "crates/kit-runtime/src");

/** Projects whose build writes the file into the repository. */
const projects = [
  "examples/notes-rust",
  "examples/realworld-rust",
  "examples/shop-rust",
  "tests/conformance/rust-server",
];

/** Files of the runtime that read variables. */
const readers = [
  "debug/settings.rs",
  "debug_off.rs",
  "lib.rs",
  "log.rs",
  "postgres/limits.rs",
  "postgres/security.rs",
  "redact/more_patterns.rs",
  "redact/mod.rs",
  "settings.rs",
  "tls_settings.rs",
];

/** Constants in capital letters in these files that are no variables, and variables of OpenTelemetry, whose standard lists them. */
const others = /^(?:OTEL_.*|TLS_FILES)$/;

/** Returns the constants in capital letters in the code of a file, without comments and unit tests. */
async function constantsOf(path: string): Promise<string[]> {
  const text = await readFile(path, "utf8");
  const [code = ""] = text.split("\n#[cfg(test)]\nmod ");
  const plain = code.replaceAll(/^\s*\/\/.*$/gm, "");
  return [...plain.matchAll(/"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)"/g)].map(([, name]) => name!);
}

async function variables(): Promise<string[]> {
  const found = await Promise.all(readers.map((file) => constantsOf(join(runtime, file))));
  return [...new Set(["DATABASE_URL", ...found.flat()])].filter((name) => !others.test(name)).toSorted();
}

test("server.env.example has each variable that the server reads, and no others", async () => {
  const { text } = serverVariables(repository).file;
  const listed = [...text.matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name!);
  assert.deepEqual(listed.toSorted(), await variables());
  for (const project of projects) {
    assert.equal(await readFile(join(repository, project, "server.env.example"), "utf8"), text, project);
  }
});

test("the guide of the Rust server explains each variable that the server reads", async () => {
  const pages = ["rust-settings.md", "rust-observability.md"].map((page) =>
    readFile(join(repository, "docs/guide", page), "utf8"),
  );
  const guide = (await Promise.all(pages)).join("\n");
  const missing = (await variables()).filter((name) => !guide.includes(`\`${name}\``));
  assert.deepEqual(missing, []);
});

test("no other file of the runtime reads a variable with a name of its own", async () => {
  const known = new Set(await variables());
  const prefixes = new Set([...known].map((name) => name.split("_")[0]));
  const files = (await readdir(runtime, { recursive: true })).filter((file) => file.endsWith(".rs"));
  const unknown: string[] = [];
  for (const file of files) {
    // oxlint-disable-next-line no-await-in-loop -- few files
    for (const name of await constantsOf(join(runtime, file))) {
      const isSetting = /_/.test(name) && prefixes.has(name.split("_")[0]!);
      if (isSetting && !known.has(name) && !notVariables.has(name)) unknown.push(`${file}: ${name}`);
    }
  }
  assert.deepEqual(unknown, []);
});

/** Codes of errors and internal names that begin like a variable. */
const notVariables = new Set([
  "KIT_CONTRACT_TESTS_PREPARED",
  "KIT_DEV_TOKEN",
  "KIT_DEV_URL",
  "REQUEST_TIMEOUT",
  "SOCKET_ENDED",
  "TLS_EXPIRED",
  "TLS_EXPIRES_SOON",
  "TLS_FILES",
]);
