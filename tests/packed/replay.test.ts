// Tests that a page is refused if it shows an output that the commands do not print. packed.test.ts checks the
// tutorial itself.

import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { type Place, replay } from "./tutorial.ts";

const fence = "```";
const block = (kind: string, ...lines: readonly string[]): string =>
  [`${fence}${kind}`, ...lines, fence, ""].join("\n");

/** Program that prints its address, then each change of `app.ts`, then a line when it ends. */
const program = [
  'import { readFileSync } from "node:fs";',
  "let last;",
  "setInterval(() => {",
  '  const text = readFileSync("src/app.ts", "utf8");',
  "  if (text !== last) console.log(`built ${text.trim()}\\nready in 1 ms`);",
  "  last = text;",
  "}, 20);",
];

const made = block("js file=dev.mjs", ...program) + block("ts file=src/app.ts", "one");
const runs = `${made}${block("console", "$ node dev.mjs", "built one", "ready in … ms")}`;
const edited = `${runs}${block("diff file=src/app.ts", "-one", "+two")}`;

describe("the replay of a page", { timeout: 120_000 }, () => {
  let place: Place;

  before(async () => {
    const directory = await mkdtemp(join(await realpath(tmpdir()), "kit-replay-"));
    place = { directory, home: directory, port: 41_235, done: ["make all"] };
  });
  after(() => rm(place.directory, { recursive: true, force: true }));

  test("succeeds if the page shows the real output", async () => {
    const text = [
      block("sh", "make all"),
      edited,
      block("text", "built two", "ready in … ms"),
      block("console", "$ mkdir -p inner && cd inner"),
      block("console", "$ basename $PWD; echo localhost:$PORT", "inner", "localhost:3000"),
      block("text", "^C"),
      block("console", "$ cat ~/src/app.ts", "two"),
    ].join("\n");
    await replay("page.md", text, place);
    assert.equal(await readFile(join(place.directory, "src/app.ts"), "utf8"), "two\n");
  });

  for (const [what, text, says] of [
    ["another output", block("console", "$ echo one", "two"), /page\.md:2: echo one\n--- expected ---\ntwo/],
    ["a command that fails", block("console", "$ exit 3", "done"), /exit code 3/],
    ["more than there is", block("console", "$ echo one", "one", "two"), /page\.md:2/],
    ["less than there is", block("console", "$ echo one; echo two", "one"), /page\.md:2/],
    ["another start", block("console", "$ node -p '1 + 1'", "3"), /--- expected ---\n3\n--- printed ---\n2/],
    ["a file otherwise", `${made}${block("diff file=src/app.ts", "-two")}`, /not in the file once/],
    ["words of nothing that runs", block("text", "built"), /page\.md:1: nothing runs/],
    ["a preparation that nobody did", block("sh", "make none"), /nobody runs `make none`/],
    ["code without a file", block("ts", "let a;"), /what the block of ts is for/],
  ] as const)
    test(`fails if the page shows ${what}`, () => assert.rejects(replay("page.md", text, place), says));
});
