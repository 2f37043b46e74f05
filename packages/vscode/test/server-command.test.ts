import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { serverCommand } from "../src/server-command.ts";

/** Creates an empty kit in a directory. Returns its path. */
function install(directory: string): string {
  const path = join(directory, "node_modules/@kit/cli/bin/kit.js");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  return path;
}

test("selects the kit of the folder, of a directory above, or of the setting", (t) => {
  const root = mkdtempSync(join(tmpdir(), "kit-vscode-"));
  t.after(() => rmSync(root, { recursive: true }));
  const settings = { node: "/opt/node", cli: "" };
  const folder = join(root, "packages/api");
  mkdirSync(folder, { recursive: true });
  assert.equal(serverCommand(folder, settings), undefined);
  const above = install(root);
  assert.deepEqual(serverCommand(folder, settings), { command: "/opt/node", args: [above, "lsp"] });
  const own = install(folder);
  assert.deepEqual(serverCommand(folder, settings)?.args, [own, "lsp"]);
  const relative = { ...settings, cli: "../../node_modules/@kit/cli/bin/kit.js" };
  assert.deepEqual(serverCommand(folder, relative)?.args, [above, "lsp"]);
  assert.deepEqual(serverCommand(folder, { ...settings, cli: own })?.args, [own, "lsp"]);
  assert.equal(serverCommand(folder, { ...settings, cli: "absent.js" }), undefined);
});
