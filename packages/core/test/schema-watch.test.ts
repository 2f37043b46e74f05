import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { type SchemaChange, watchSchema } from "../src/app/schema-watch.ts";

/** Returns an OpenAPI document with the descriptions of its types. */
function openApi(descriptions: Readonly<Record<string, string>>): string {
  const schemas = Object.entries(descriptions).map(([name, description]) => [name, { description }]);
  return JSON.stringify({ components: { schemas: Object.fromEntries(schemas) } });
}

test("names a type whose schema changed in the OpenAPI document, to which schemas.json of a large project refers", async (context) => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "kit-schema-watch-")));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, "schemas"));
  const document = join(directory, "schemas/openapi.json");
  writeFileSync(document, openApi({ Note: "", Book: "" }));
  const entries = ["Note", "Book"].map((name) => [
    name,
    { schema: { $ref: `schemas/openapi.json#/components/schemas/${name}` }, properties: [] },
  ]);
  writeFileSync(join(directory, "schemas.json"), JSON.stringify(Object.fromEntries(entries)));
  const { promise, resolve, reject } = Promise.withResolvers<SchemaChange>();
  const stop = watchSchema(directory, resolve, reject);
  context.after(stop);
  // The watching of subdirectories starts with a delay.
  await sleep(100);
  writeFileSync(document, openApi({ Note: "changed", Book: "" }));
  // The watcher keeps no process alive.
  const alive = setTimeout(() => reject(new Error("no change was reported")), 10_000);
  const change = await promise;
  clearTimeout(alive);
  assert.deepEqual(change, {
    directory,
    files: ["schemas/openapi.json"],
    types: ["Note"],
    routes: false,
  });
});
