// Tests SECURITY.md, docs/security.md, and the versions of Node.js that the packages accept.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): Promise<string> => readFile(`${repository}${path}`, "utf8");

/** Oldest version of Node.js 24 without CVE-2025-27209. */
const oldestNode = "24.4.1";

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly engines?: { readonly node?: string };
}

const manifests: Manifest[] = [];
for await (const path of glob("packages/*/package.json", { cwd: repository }))
  manifests.push(JSON.parse(await read(path)) as Manifest);

describe("SECURITY.md", () => {
  test("tells how to report a vulnerability and which versions get fixes", async () => {
    const text = await read("SECURITY.md");
    for (const heading of ["Report a vulnerability", "Supported versions", "What kit promises"])
      assert.match(text, new RegExp(`^## ${heading}\n\n\\S`, "m"));
    assert.match(text, /private vulnerability reporting/);
    assert.ok(text.includes("(docs/security.md)"));
  });

  test("names the oldest version of Node.js that packages accept", async () => {
    assert.ok((await read("SECURITY.md")).includes(`| Node.js | ${oldestNode} or newer`));
  });
});

describe("published packages", () => {
  test("are all found by this test", () => assert.ok(manifests.length >= 17, `${manifests.length}`));
  for (const { name, engines, private: isPrivate } of manifests) {
    if (isPrivate === true) continue;
    test(`${name} accepts no Node.js 24 with a known vulnerability`, () => {
      // The client also accepts older versions, which do not have the vulnerability.
      const expected = name === "@kit/client" ? `>=20 <24 || >=${oldestNode}` : `>=${oldestNode}`;
      assert.equal(engines?.node, expected);
    });
  }
});

describe("docs/security.md", () => {
  const borders = [
    "Clients",
    "Reverse proxies",
    "Middleware of frameworks",
    "Operators",
    "The debug sidecar",
    "A developer's machine",
    "Build inputs",
    "Migrations",
  ];

  test("has a section for each security boundary of the application", async () => {
    const page = await read("docs/security.md");
    const headings = new Set([...page.matchAll(/^## (.+)$/gm)].map(([, name]) => name));
    assert.deepEqual(
      borders.filter((border) => !headings.has(border)),
      [],
    );
  });

  for (const border of borders) {
    test(`names existing files of tests for the promises in the section ${border}`, async () => {
      const section = (await read("docs/security.md"))
        .split(/^## /m)
        .find((text) => text.startsWith(`${border}\n`));
      const rows = (section ?? "")
        .split("\n")
        .filter((line) => /^\|(?! ?-)/.test(line))
        .slice(1);
      assert.ok(rows.length > 0, "the section has no table");
      for (const row of rows) {
        // A row without a promise has no test. A row may also have the test of the row above.
        if (/\| (?:-|the same) \|$/.test(row)) continue;
        const proofs = [
          ...row
            .split("|")
            .at(-2)!
            .matchAll(/`((?:conformance|crates|examples|fuzz|packages|tests|xtask)\/[^`]+)`/g),
        ];
        assert.ok(proofs.length > 0, `no test: ${row}`);
        for (const [, path] of proofs) assert.ok(existsSync(`${repository}${path}`), path);
      }
    });
  }
});
