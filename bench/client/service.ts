/** Measures how long an editor waits for completions while a user types a call. Uses the language service of TypeScript, as editors do. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type TypeScript from "../../tests/oracle/node_modules/typescript/lib/typescript.js";

import { app, type Subject } from "./subjects.ts";

const ts = createRequire(join(import.meta.dirname, "../../tests/oracle/package.json"))(
  "typescript",
) as typeof TypeScript;

/** Times of completions in milliseconds, one for each edit. */
export interface Typed {
  /** Times until the paths are listed, or the properties that come before a path in the client's syntax. */
  readonly paths: readonly number[];
  /** Times until the properties of the response are listed. */
  readonly properties: readonly number[];
  readonly pathCount: number;
  readonly propertyCount: number;
}

/**
 * Types a call repeatedly in a file without other calls. Each edit creates a new program without cached types, as in an editor. The first
 * round is a warm-up and is discarded.
 */
export function type(subject: Subject, rounds: number): Typed {
  const file = join(app, `src/clients/${subject.name}.typed.ts`);
  const head = `import { api } from "./${subject.name}.ts";\n`;
  const route = { method: "get", path: "/messages/items/:id" };
  let text = head;
  let version = 0;
  const config = ts.readConfigFile(join(app, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, app);
  const host: TypeScript.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getCurrentDirectory: () => app,
    getDefaultLibFileName: (of) => ts.getDefaultLibFilePath(of),
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : "0"),
    getScriptSnapshot(name) {
      if (name === file) return ts.ScriptSnapshot.fromString(text);
      return existsSync(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, "utf8")) : undefined;
    },
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  };
  const service = ts.createLanguageService(host);
  const complete = (written: string): { milliseconds: number; count: number } => {
    text = `${head}// ${version}\n${written}`;
    version += 1;
    const start = performance.now();
    const found = service.getCompletionsAtPosition(file, text.length, undefined);
    return { milliseconds: performance.now() - start, count: found?.entries.length ?? 0 };
  };
  const paths: number[] = [];
  const properties: number[] = [];
  let [pathCount, propertyCount] = [0, 0];
  for (let round = 0; round <= rounds; round += 1) {
    const path = complete(subject.path);
    const property = complete(
      `const answer = ${subject.call(route)};\nanswer${subject.maybe ? "?" : ""}.item.`,
    );
    if (round === 0) continue;
    paths.push(path.milliseconds);
    properties.push(property.milliseconds);
    [pathCount, propertyCount] = [path.count, property.count];
  }
  service.dispose();
  return { paths, properties, pathCount, propertyCount };
}
