import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { textOf } from "./edge-columns.ts";

/** Files of `conformance/static.json`. The property `about` of that file explains the properties. */
export interface StaticFixture {
  readonly files: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly old: Readonly<Record<string, string>>;
  readonly sized: Readonly<Record<string, number>>;
  readonly links: Readonly<Record<string, string>>;
  readonly pipes: readonly string[];
}

/** Creates the files in a new directory, which is removed at the end of the process. Returns the path of the directory. */
export function makeStaticDirectory(fixture: StaticFixture): string {
  const root = mkdtempSync(join(tmpdir(), "kit-static-"));
  process.once("exit", () => rmSync(root, { recursive: true, force: true }));
  const write = (name: string, text: string, seconds: number): void => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    utimesSync(path, seconds, seconds);
  };
  for (const [name, text] of Object.entries(fixture.files)) write(name, text, fixture.seconds);
  for (const [name, bytes] of Object.entries(fixture.sized)) write(name, textOf(bytes), fixture.seconds);
  for (const [name, text] of Object.entries(fixture.old)) write(name, text, 0);
  for (const [name, target] of Object.entries(fixture.links)) symlinkSync(target, join(root, name));
  for (const name of fixture.pipes) execFileSync("mkfifo", [join(root, name)]);
  return root;
}
