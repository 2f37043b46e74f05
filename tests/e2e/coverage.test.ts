// What `kit test` says that tests saw of the contracts of a real application: by the generated tests alone, and with one that somebody wrote.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Project } from "./support/project.ts";

interface Count {
  readonly seen: number;
  readonly of: number;
}

interface Item {
  readonly kind: string;
  readonly route: string;
  readonly what?: string;
  readonly seen: boolean;
}

interface Result {
  readonly contracts: Readonly<
    Record<"routes" | "answers" | "fields" | "bounds" | "members" | "rules", Count>
  > & {
    readonly items: readonly Item[];
  };
}

describe("kit test counts what tests see of the contracts", { timeout: 300_000 }, () => {
  let project: Project;
  before(async () => {
    project = await Project.ready();
  });
  after(() => project.remove());

  const tested = async (...args: readonly string[]): Promise<Result["contracts"]> => {
    const { stdout } = await project.kitOk("test", "--json", ...args);
    return (JSON.parse(stdout) as Result).contracts;
  };

  test("generated tests see every route, field, bound and rule, and no error that only data brings about", async () => {
    const { items, routes, fields, bounds, rules } = await tested();
    for (const count of [routes, fields, bounds, rules]) {
      assert.ok(count.of > 0);
      assert.equal(count.seen, count.of);
    }
    const missing = new Set(items.filter((item) => !item.seen).map(({ what }) => what));
    assert.deepEqual([...missing], ["401 UNAUTHORIZED", "401 INVALID_TOKEN", "404 NOTE_NOT_FOUND"]);
  });

  test("requests of the project's own tests count, and nothing else does where they run alone", async () => {
    await mkdir(join(project.root, "tests"), { recursive: true });
    await writeFile(
      join(project.root, "tests/strangers.test.ts"),
      [
        'import { createTestClient, testDatabase } from "@kit/testing";',
        'import assert from "node:assert/strict";',
        'import { test } from "node:test";',
        'test("strangers may not read", async () => {',
        "  await testDatabase();",
        '  const { app } = await import("../src/app.ts");',
        "  const client = await createTestClient(app);",
        '  const { status } = await client.request("GET", "/notes");',
        "  await client.close();",
        "  assert.equal(status, 401);",
        "});",
        "",
      ].join("\n"),
    );
    const { items, routes } = await tested("strangers");
    assert.deepEqual(
      items.filter(({ seen }) => seen).map(({ route, what }) => `${route} ${what}`),
      ["GET /notes 401 UNAUTHORIZED"],
    );
    assert.deepEqual(routes, { seen: 0, of: 5 });
  });
});
