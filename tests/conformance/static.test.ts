// Runs every case of conformance/static.json on every server.

import { join } from "node:path";

import type { StaticFilesOptions } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { type EdgeCase, readConformance, testEdgeCases } from "./option-cases.ts";
import { makeStaticDirectory, type StaticFixture } from "./static-directory.ts";

quietStdout();

const fixture = readConformance<
  StaticFixture & {
    readonly options: Readonly<Record<string, StaticFilesOptions | readonly StaticFilesOptions[]>>;
    readonly cases: readonly EdgeCase[];
  }
>("static.json");
const root = makeStaticDirectory(fixture);

const options = Object.entries(fixture.options).map(([name, given]) => {
  const list = Array.isArray(given)
    ? (given as readonly StaticFilesOptions[])
    : [given as StaticFilesOptions];
  return [name, list.map((one) => Object.assign({}, one, { dir: join(root, one.dir) }))] as const;
});

testEdgeCases("staticFiles", Object.fromEntries(options), fixture.cases);
