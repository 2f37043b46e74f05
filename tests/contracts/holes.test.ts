// Compares the generated contract tests with everything in the contracts that tests can observe. An item without a test is a gap in the
// generator.

import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import type { RouteTable, TestResponse } from "@kit/testing";
import type { CompiledRoute } from "@kit/types";

import { filled, rawQuery, type Slots, slotsOf } from "../../packages/testing/src/contracts/request.ts";
import { missing } from "../../packages/testing/src/values/values-at-paths.ts";
import { idOf, itemsOf } from "../../packages/testing/src/coverage/items.ts";
import { Observer } from "../../packages/testing/src/coverage/observe.ts";
import { Project } from "../e2e/support/project.ts";
import { contractsIn, copiedGoldens, GOLDENS, tablesIn } from "./tables.ts";

/** Items that have tests of their own instead of a row in a table: wrong methods, wrong content types, and truncated or missing bodies. */
const BESIDE_ROWS = /^answer |^rule \S+ \S+ body \$ (?:JSON|required)$/;

/** Contract whose body has each kind of type that no golden file contains. */
const KINDS = `import type { RouteContract } from "@kit/types";

export interface Circle { kind: "circle"; /** @exclusiveMinimum 0 */ radius: number }
export interface Square { kind: "square"; /** @minimum 1 @maximum 9 @multipleOf 2 */ side: number }
export interface Tree { /** @minLength 1 @maxLength 5 */ name: string; children: Tree[]; parent: Tree | null }

export interface Kinds {
  prices: Record<string, Price>;
  grid: [number, string, boolean?];
  shape: Circle | Square;
  tree: Tree;
  mixed: Size | number | null;
  big: bigint;
  at?: Date;
  bytes: Uint8Array;
  id: \`user-\${number}\`;
  /** @minItems 1 @maxItems 3 @uniqueItems */
  tags: string[];
  /** @format uri */
  link: string;
  /** @pattern ^[a-z]{2,4}$ */
  slug: string;
  /** @integer @exclusiveMaximum 10 */
  count: number;
  nested: { /** @maxLength 4 */ deep: string }[][];
}
/** @minimum 0 */
export type Price = number;
/** @maxLength 3 */
export type Size = string;

export interface KindRoutes {
  "POST /kinds": RouteContract<void, void, Kinds, void>;
}
`;

const APP = `import { createApp, defineHandlers } from "@kit/core";
import type { KindRoutes } from "./kinds.routes.ts";

const handlers = defineHandlers<KindRoutes>({ "POST /kinds": () => {} });
export const app = createApp({ routes: [{ prefix: "/kinds", handlers }] });
`;

describe("the contract tests cover everything that a contract declares", () => {
  let root: string;
  before(async () => {
    root = await copiedGoldens();
  });
  after(() => rm(root, { recursive: true }));

  for (const golden of GOLDENS) {
    test(golden, async () => assert.deepEqual(await holesIn(join(root, golden)), []));
  }

  test("the contract tests cover a body with every kind of type", { timeout: 60_000 }, async () => {
    const project = await Project.of(
      new Map([
        [
          "package.json",
          '{ "name": "kinds", "type": "module", "devDependencies": { "@kit/testing": "0.1.0" } }',
        ],
        ["src/kinds.routes.ts", KINDS],
        ["src/app.ts", APP],
      ]),
    );
    try {
      await project.kitOk("generate");
      assert.deepEqual(await holesIn(join(project.root, ".kit")), []);
    } finally {
      await project.remove();
    }
  });
});

/** Returns the items of the contracts in an output directory that no contract test covers. */
async function holesIn(directory: string): Promise<string[]> {
  const contracts = await contractsIn(directory);
  const observer = new Observer(contracts);
  const covered = new Set<string>();
  for (const table of await tablesIn(directory)) {
    const compiled = contracts.application.routes.find(({ ref }) => ref === table.route);
    assert.ok(compiled);
    const rows = [[], ...[...(table.accepts ?? []), ...(table.refuses ?? [])].map((row) => [row])];
    for (const row of rows) {
      const changes = row.map(([slot, path, , given]) => ({ slot, path, given }));
      for (const id of coveredBy(observer, compiled, table, slotsOf(table, {}, changes))) covered.add(id);
    }
  }
  const holes = itemsOf(contracts)
    .filter((item) => !covered.has(idOf(item)))
    .map(({ kind, route, slot, path, what }) => [kind, route, slot, path, what].filter(Boolean).join(" "));
  return holes.filter((item) => !BESIDE_ROWS.test(item));
}

/** Returns the items that a request covers if the application responds as its validators decide. */
function coveredBy(observer: Observer, compiled: CompiledRoute, table: RouteTable, slots: Slots): string[] {
  const [method = "", path = ""] = table.route.split(" ");
  const query = rawQuery(slots);
  const text = slots.body === undefined || slots.body === missing ? undefined : JSON.stringify(slots.body);
  const names = path.split("/").flatMap((part) => (/^[:*]/.test(part) ? [part.slice(1)] : []));
  const params = (slots.params ?? {}) as Readonly<Record<string, unknown>>;
  const fields = [
    ...(compiled.params?.failures(compiled.params.params(names.map((name) => String(params[name])))) ?? []),
    ...(compiled.query?.failures(compiled.query.query(query)) ?? []),
    ...(compiled.body?.failures(text === undefined ? undefined : JSON.parse(text)) ?? []),
  ];
  const isRight = fields.length === 0;
  const body = isRight ? {} : { error: { code: "VALIDATION_ERROR", details: { fields } } };
  const answer: TestResponse = {
    status: isRight ? (table.replies?.[0]?.status ?? 200) : 400,
    headers: new Headers(),
    text: JSON.stringify(body),
    body,
  };
  const target = filled(path, slots.params) + (query === "" ? "" : `?${query}`);
  return observer.see({ method, target, ...(text === undefined ? {} : { body: text }) }, answer);
}
