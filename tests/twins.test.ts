// Tests that files which exist in two packages are equal. Neither package may depend on the other.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { apiDocs } from "@kit/api-docs";

test("both packages contain the same file to detect the C library of Node", async () => {
  const packages = join(import.meta.dirname, "../packages");
  const [server, compiler] = await Promise.all(
    ["server-native", "transform-native"].map((name) =>
      readFile(join(packages, name, "src/libc.ts"), "utf8"),
    ),
  );
  assert.equal(compiler, server);
});

test("the router and the servers on node:http contain the same file to normalize paths", async () => {
  const packages = join(import.meta.dirname, "../packages");
  const [matcher, server] = await Promise.all(
    ["core/src/router", "server-node/src"].map((directory) =>
      readFile(join(packages, directory, "normal-path.ts"), "utf8"),
    ),
  );
  assert.equal(server, matcher);
});

test("the readers of bodies and the servers on node:http contain the same file to collect chunks", async () => {
  const packages = join(import.meta.dirname, "../packages");
  const [reader, server] = await Promise.all(
    ["core/src/bodies", "server-node/src"].map((directory) =>
      readFile(join(packages, directory, "collected-bytes.ts"), "utf8"),
    ),
  );
  assert.equal(server, reader);
});

test("OpenAPI documents, the Rust servers and the servers on Node have the same reason phrases of error statuses", async () => {
  const root = join(import.meta.dirname, "..");
  const files = [
    "packages/core/src/errors/status-phrase.ts",
    "crates/kit-runtime/src/http/status_phrase.rs",
    "crates/kit-emit/src/openapi/status.rs",
  ];
  const [node, runtime, openapi] = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(root, file), "utf8");
      const pairs = [...text.matchAll(/^\s+([45]\d\d)(?::| =>) "([^"]+)",$/gm)];
      return pairs.map(([, status, phrase]) => `${status} ${phrase}`);
    }),
  );
  assert.ok(node!.length > 30, "the test found too few phrases");
  assert.deepEqual(runtime, openapi);
  assert.deepEqual(
    runtime,
    node!.filter((line) => !/^(400|500) /.test(line)),
  );
});

test("static files have the same content types in TypeScript and in Rust", async () => {
  const root = join(import.meta.dirname, "..");
  const [node, rust] = await Promise.all(
    ["packages/core/src/files/media-types.ts", "crates/kit-static/src/media-types.txt"].map((name) =>
      readFile(join(root, name), "utf8"),
    ),
  );
  assert.equal(/const table = `\n([^`]+)`;/.exec(node!)?.[1], rust);
});

test("the API reference has the same page and the same policy on Node and on the Rust server", async () => {
  const file = join(import.meta.dirname, "../crates/kit-runtime/src/http/docs.rs");
  const rust = await readFile(file, "utf8");
  const literal = (start: RegExp) => {
    const [, text] = new RegExp(`${start.source}\\s*"((?:[^"\\\\]|\\\\[^])*)"`).exec(rust) ?? [];
    assert.ok(text !== undefined, `docs.rs has no literal after ${start.source}`);
    return text
      .replaceAll(/\\\n\s*/g, "")
      .replaceAll("\\n", "\n")
      .replaceAll('\\"', '"');
  };
  assert.equal(literal(/CONTENT_SECURITY_POLICY: &str =/), apiDocs.contentSecurityPolicy);
  const page = literal(/\n {8}format!\(/);
  const note = literal(/asyncapi\.map_or_else\([^"]*format!\(/);
  const links = { files: "docs/", document: "docs/openapi.json", root: "./" };
  for (const [more, shown] of [
    [{ messages: "docs/asyncapi.json" }, note],
    [{}, ""],
  ] as const) {
    const expected = page
      .replace("{note}", shown)
      .replaceAll(/\{(files|document|root)\}/g, (_, name: keyof typeof links) => links[name]);
    assert.equal(expected, apiDocs.page({ ...links, ...more }));
  }
});
