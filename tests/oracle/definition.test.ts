// Follows references in the example Notes as an editor does, with the language service of TypeScript. Generated code must not come
// between a handler and its contract.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";

import ts from "typescript";

const repository = join(import.meta.dirname, "../..");
const root = join(repository, "examples/notes");
const config = ts.getParsedCommandLineOfConfigFile(
  join(root, "tsconfig.json"),
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
    },
  },
);
assert.ok(config);
const service = ts.createLanguageService({
  getCompilationSettings: () => config.options,
  getScriptFileNames: () => config.fileNames,
  getScriptVersion: () => "1",
  getScriptSnapshot: (path) => {
    const text = ts.sys.readFile(path);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
});

/** Returns the definitions of the text at a place: file and line of source code. */
function definitions(file: string, before: string, word: string): string[] {
  const path = join(root, file);
  const text = readFileSync(path, "utf8");
  const start = text.indexOf(before);
  assert.ok(start >= 0, `${file} contains ${before}`);
  const at = text.indexOf(word, start) + 1;
  const found = service.getDefinitionAtPosition(path, at) ?? [];
  return found.map(({ fileName, textSpan }) => {
    const source = readFileSync(fileName, "utf8");
    const line = source.slice(0, textSpan.start).split("\n").length - 1;
    return `${relative(root, fileName)}: ${source.split("\n")[line]?.trim()}`;
  });
}

test("the definition of a handler's key is the key of the contract", () => {
  const found = definitions("src/notes.handlers.ts", '"GET /notes/:id": async', "GET /notes/:id");
  assert.ok(
    found.some((place) => place.startsWith('src/notes.routes.ts: "GET /notes/:id":')),
    found.join("\n"),
  );
});

test("the definition of a parameter's property is the property in the contract's file", () => {
  const found = definitions("src/notes.handlers.ts", "where(byId(params.id))", "id))");
  assert.ok(
    found.length > 0 && found.every((place) => place.startsWith("src/notes.routes.ts: ")),
    found.join("\n"),
  );
});

test("the definition of a property of the query is the property of the declared type", () => {
  const found = definitions("src/notes.handlers.ts", "const { page = 1", "page");
  assert.ok(
    found.some((place) => place.startsWith("src/")),
    found.join("\n"),
  );
  assert.ok(!found.some((place) => place.startsWith(".kit")), found.join("\n"));
});
