// Checks the pages of `docs/errors/` about code of the project that kit runs: configurations and plugins. A page shows an example and the
// output of the command, and `KIT_BLESS=1` rewrites this output. `cargo test -p kit-build --test pages` checks the other pages, without
// Node.

import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";

import { Project } from "./support/project.ts";

const ERRORS = fileURLToPath(new URL("../../../docs/errors/", import.meta.url));
const SOLUTION = "\n## Solution\n";

/** Files that every example project has: empty files for types and routes, because kit warns if there are none. */
const BASE = {
  "package.json": '{ "name": "example", "type": "module" }\n',
  "src/kit.types.ts": "export {};\n",
  "src/kit.routes.ts": "export {};\n",
};

const pages: string[] = [];
for (const name of (await readdir(ERRORS)).toSorted())
  // oxlint-disable-next-line no-await-in-loop
  if ((await readFile(join(ERRORS, name), "utf8")).includes(" file=kit.config.")) pages.push(name);

test("the checked pages include pages about errors of plugins", () =>
  assert.ok(pages.includes("KIT1502.md"), pages.join()));

for (const name of pages) {
  test(name, async (t) => {
    const path = join(ERRORS, name);
    const page = await readFile(path, "utf8");
    const parts = page.split(SOLUTION);
    assert.equal(parts.length, 2, "a page has an example and a solution");
    const [example, solution] = parts as [string, string];

    const wrong = await said(t, example);
    assert.notEqual(wrong.codes.length, 0, `nothing was said:\n${wrong.text}`);
    assert.deepEqual([...new Set(wrong.codes)], [name.replace(".md", "")], wrong.text);
    const documented = /^```text\n([^]*?)^```$/m.exec(example)?.[1];
    if (documented !== wrong.text && process.env["KIT_BLESS"] !== undefined) {
      const blessed = example.replace(/^```text\n[^]*?^```$/m, () => `\`\`\`text\n${wrong.text}\`\`\``);
      await writeFile(path, blessed + SOLUTION + solution);
    } else {
      assert.equal(documented, wrong.text);
    }

    const right = await said(t, solution);
    assert.deepEqual(right.codes, [], right.text);
    assert.equal(right.exit, 0, right.text);
  });
}

/** Returns the output of `kit build` for the example project in a part of a page. */
async function said(
  t: TestContext,
  part: string,
): Promise<{ exit: number | null; codes: string[]; text: string }> {
  const blocks = part.matchAll(/^```\w+ file=(\S+)\n([^]*?)^```$/gm);
  const files = Object.fromEntries([...blocks].map(([, path, text]) => [path!, text!]));
  const project = await Project.create(t, { ...BASE, ...files });
  const { code, err } = await project.kit(["build"]);
  const [text] = err.split(/\n\d+ errors?(?: and \d+ warnings?)?; nothing was written\n/);
  return {
    exit: code,
    codes: [...err.matchAll(/^(?:error|warning)\[(KIT\d+)\]/gm)].map(([, found]) => found!),
    text: text!.replaceAll(project.root, "<root>"),
  };
}
