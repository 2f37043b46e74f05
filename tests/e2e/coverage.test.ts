// Tests the coverage of contracts that `kit test` reports for a real application, with generated tests only and with a handwritten
// test in addition.

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

describe("kit test counts which items of the contracts the tests cover", { timeout: 300_000 }, () => {
  let project: Project;
  before(async () => {
    project = await Project.ready();
  });
  after(() => project.remove());

  const tested = async (...args: readonly string[]): Promise<Result["contracts"]> => {
    const { stdout } = await project.kitOk("test", "--json", ...args);
    return (JSON.parse(stdout) as Result).contracts;
  };

  test("generated tests cover every route, field, bound and rule, but no errors that depend on stored data", async () => {
    const { items, routes, fields, bounds, rules } = await tested();
    for (const count of [routes, fields, bounds, rules]) {
      assert.ok(count.of > 0);
      assert.equal(count.seen, count.of);
    }
    const missing = new Set(items.filter((item) => !item.seen).map(({ what }) => what));
    assert.deepEqual([...missing], ["401 INVALID_TOKEN", "404 NOTE_NOT_FOUND"]);
  });

  test("requests of handwritten tests count, also if they run without the generated tests", async () => {
    await mkdir(join(project.root, "tests"), { recursive: true });
    await writeFile(
      join(project.root, "tests/strangers.test.ts"),
      [
        'import { createTestClient, testDatabase } from "@kit/testing";',
        'import assert from "node:assert/strict";',
        'import { test } from "node:test";',
        'test("requests without a token are refused", async () => {',
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

  test("every request counts, whichever client sends it and whichever test process runs the application", async () => {
    await mkdir(join(project.root, "tests"), { recursive: true });
    await writeFile(
      join(project.root, "tests/others.test.ts"),
      [
        'import { createIntegrationSuite } from "@kit/testing";',
        'import { spawn } from "node:child_process";',
        'import { createServer } from "node:net";',
        'import { test } from "node:test";',
        'import { createClient } from "../.kit/client/index.ts";',
        'const suite = await createIntegrationSuite({ app: () => import("../src/app.ts") });',
        'test("fetch", async () => {',
        '  const headers = { authorization: "Bearer ada:user", "content-type": "application/json" };',
        '  const response = await fetch(`${suite.url}/notes`, { method: "POST", headers, body: "{" });',
        "  await response.text();",
        "});",
        'test("the typed client", async () => {',
        '  const api = createClient({ baseUrl: suite.url, headers: { authorization: "Bearer ada:user" } });',
        '  await api.get("/notes", { query: { page: 1 } });',
        "});",
        'test("another process", async () => {',
        "  const server = createServer().listen(0);",
        "  const { port } = server.address();",
        "  await new Promise((resolve) => server.close(resolve));",
        '  const child = spawn(process.execPath, ["src/main.ts"], { env: { ...process.env, PORT: String(port) } });',
        "  const request = () => fetch(`http://127.0.0.1:${port}/notes/1`).catch(() => new Promise((go) => setTimeout(go, 100)).then(request));",
        "  await (await request()).text();",
        "  child.kill();",
        '  await new Promise((resolve) => child.once("close", resolve));',
        "});",
        "",
      ].join("\n"),
    );
    const { items } = await tested("others");
    assert.deepEqual(
      items
        .filter(({ kind, seen }) => seen && kind !== "field" && kind !== "bound")
        .map(({ kind, route, what }) => [route, kind, what].filter(Boolean).join(" ")),
      [
        "POST /notes answer 400 VALIDATION_ERROR",
        "POST /notes rule JSON",
        "GET /notes route",
        "GET /notes answer 200",
        "GET /notes/:id answer 401 UNAUTHORIZED",
      ],
    );
  });
});
