// Runs the extension as VS Code does, with a stand-in for the module `vscode`, and a real `kit lsp`.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";

const repository = resolve(import.meta.dirname, "../../..");
const timeoutMs = 60_000;

interface Message {
  readonly path?: string;
  readonly diagnostics?: readonly { readonly message: string; readonly code: string }[];
  readonly active?: boolean;
  readonly stopped?: boolean;
}

/** Bundles the extension as `cargo xtask vsix` does. Returns the path of the bundle. */
function bundle(directory: string): string {
  const out = join(directory, "extension.cjs");
  const args = ["src/extension.ts", "--bundle", "--platform=node", "--format=cjs", "--target=node20"];
  const esbuild = spawnSync(
    join(repository, "node_modules/.bin/esbuild"),
    [...args, "--external:vscode", `--outfile=${out}`],
    { cwd: resolve(import.meta.dirname, ".."), encoding: "utf8" },
  );
  assert.equal(esbuild.status, 0, esbuild.stderr);
  return out;
}

test(
  "starts the kit lsp of the project, shows its mistakes, and stops it",
  { timeout: timeoutMs },
  async (t) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "kit-vscode-")));
    t.after(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, "src"));
    mkdirSync(join(root, "node_modules"));
    symlinkSync(join(repository, "node_modules/@kit"), join(root, "node_modules/@kit"));
    writeFileSync(
      join(root, "package.json"),
      '{ "name": "notes", "type": "module", "dependencies": { "@kit/core": "0.1.0" } }',
    );
    const document = join(root, "src/notes.types.ts");
    writeFileSync(
      document,
      "/** @table */\nexport interface Note { /** @id */ id: string; /** @maxLenght 3 */ t: string }\n",
    );
    const editor = join(import.meta.dirname, "support/editor.cjs");
    const child = spawn(process.execPath, [editor, bundle(root), root, document], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, PATH: `${join(repository, "node_modules/.bin")}:${process.env["PATH"] ?? ""}` },
    });
    t.after(() => child.kill("SIGKILL"));
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
    const ended = new Promise<number | null>((done) => child.on("close", done));
    const seen: string[] = [];
    let isShown = false;
    let hasStopped = false;
    for await (const line of createInterface({ input: child.stdout })) {
      seen.push(line);
      const message = JSON.parse(line) as Message;
      if (
        message.diagnostics?.some(({ message: text }) => text.startsWith("unknown tag `@maxLenght`")) === true
      ) {
        assert.equal(message.path, document);
        assert.equal(message.diagnostics[0]?.code, "KIT1305");
        isShown = true;
        child.kill("SIGTERM");
      }
      hasStopped ||= message.stopped === true;
    }
    assert.ok(isShown && hasStopped, `${seen.join("\n")}\n${err}`);
    assert.equal(await ended, 0);
  },
);

/** Returns the files of a zip archive, by their names. */
function unzip(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const end = archive.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  let at = archive.readUInt32LE(end + 16);
  for (let count = archive.readUInt16LE(end + 10); count > 0; count -= 1) {
    const method = archive.readUInt16LE(at + 10);
    const [size, nameLength, extra, comment] = [
      archive.readUInt32LE(at + 20),
      archive.readUInt16LE(at + 28),
      archive.readUInt16LE(at + 30),
      archive.readUInt16LE(at + 32),
    ];
    const name = archive.toString("utf8", at + 46, at + 46 + nameLength);
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = archive.subarray(start, start + size);
    files.set(name, method === 0 ? bytes : inflateRawSync(bytes));
    at += 46 + nameLength + extra + comment;
  }
  return files;
}

test("the packed extension has its code, its manifest, its licence, and no other files", (t) => {
  const packed = join(repository, "target/vsix/kit.vsix");
  if (!existsSync(packed)) {
    t.skip("the extension is not packed: cargo xtask vsix");
    return;
  }
  const files = unzip(readFileSync(packed));
  assert.deepEqual([...files.keys()].filter((name) => !name.endsWith("/")).toSorted(), [
    "[Content_Types].xml",
    "extension.vsixmanifest",
    "extension/LICENSE.txt",
    "extension/dist/extension.cjs",
    "extension/package.json",
    "extension/readme.md",
  ]);
  const manifest = JSON.parse(files.get("extension/package.json")?.toString("utf8") ?? "") as {
    main: string;
  };
  assert.ok(files.has(join("extension", manifest.main)));
  assert.match(files.get("extension.vsixmanifest")?.toString("utf8") ?? "", /Id="kit-vscode"/);
  const code = files.get("extension/dist/extension.cjs")?.toString("utf8") ?? "";
  assert.ok(!code.includes(repository), "the code names no directory of the machine");
});
