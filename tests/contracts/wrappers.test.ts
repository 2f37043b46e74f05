// Builds an application whose wrappers reply and fail. The generated contract tests must pass and count what wrappers reply,
// the OpenAPI document must have it, and `kit inspect` must show it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { run } from "../e2e/support/command.ts";
import { Project, repository } from "../e2e/support/project.ts";
import { redocly, stoplight } from "../openapi/linters.ts";
import { projectFiles } from "./project-files.ts";

const files = new Map<string, string>([
  ...projectFiles("reports", ["client", "core", "server-native", "testing", "types"]),
  [
    "src/reports.routes.ts",
    `import type { RouteContract } from "@kit/types";

export interface Report {
  /** @minLength 1 @maxLength 20 */
  title: string;
}

/** Reports of a company. */
export interface ReportRoutes {
  /**
   * Adds a report.
   *
   * @summary Add a report
   */
  "POST /reports": RouteContract<void, void, Report, Report>;
  /**
   * Lists reports.
   *
   * @summary List reports
   */
  "GET /reports": RouteContract<void, void, void, Report[]>;
}
`,
  ],
  [
    "src/app.ts",
    `import { createApp, defineHandlers, defineWrapper } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { Failure, Reply } from "@kit/types";
import type { ReportRoutes } from "./reports.routes.ts";

export interface Queued {
  position: number;
}

/** Queues every second request. */
export const queued = defineWrapper<{ replies: Reply<202, Queued, { "retry-after": number }> }>(
  async ({ reply, headers }, next) =>
    headers["x-queue"] === undefined ? next() : reply(202, { position: 1 }, { "retry-after": 5 }),
);

/** @throws CLOSED 503 The archive is closed. */
export const open = defineWrapper<{ errors: Failure<503, "CLOSED", { until: string }> }>(({ ctx, headers }, next) =>
  headers["x-closed"] === undefined ? next() : ctx.fail(503, "CLOSED", "Closed", { until: "noon" }),
);

export const reportHandlers = defineHandlers<ReportRoutes>({
  "POST /reports": ({ body }) => body,
  "GET /reports": () => [],
});

export const app = createApp({
  server: nativeServer(),
  middleware: [{ name: "open", middleware: open, priority: 0 }],
  routes: [{ handlers: reportHandlers, on: { "POST /reports": { middleware: [{ name: "queued", middleware: queued, priority: 1 }] } } }],
});
`,
  ],
  [
    "src/caller.ts",
    `import { createClient } from "../.kit/client/index.ts";
const api = createClient({ baseUrl: "http://localhost" });
export async function call(): Promise<void> {
  const reply = await api.post("/reports", { body: { title: "a" } });
  if (reply.status === 202) {
    const position: number = reply.data.position + reply.headers["retry-after"];
    void position;
  } else {
    const status: 201 = reply.status;
    const title: string = reply.data.title;
    void [status, title];
  }
  // No wrapper of this route replies, so the result is the data alone.
  const titles: string[] = (await api.get("/reports")).map(({ title }) => title);
  const result = await api.get("/reports").result();
  if (!result.ok && result.error.code === "CLOSED") {
    const until: string = result.error.details.until;
    void [titles, until];
  }
}`,
  ],
]);

/** Returns the OpenAPI document of a built project. */
function documentOf({ root }: Project): Promise<string> {
  return readFile(join(root, ".kit/schemas/openapi.json"), "utf8");
}

/** The same application, with its wrappers in a package that is compiled to JavaScript and declaration files. */
function withPackage(): Map<string, string> {
  const app = files.get("src/app.ts")!;
  const [wrappers, handlers] = ["export interface Queued", "export const reportHandlers"].map((text) =>
    app.indexOf(text),
  );
  const [own, rest] = [app.slice(wrappers, handlers), app.slice(handlers)];
  return new Map([
    ...files,
    [
      "limits/tsconfig.json",
      `{
  "extends": "../tsconfig.json",
  "compilerOptions": {
    "noEmit": false, "declaration": true, "outDir": "dist", "rootDir": ".", "preserveSymlinks": true,
    "rewriteRelativeImportExtensions": true
  },
  "include": ["*.ts"]
}`,
    ],
    [
      "limits/index.ts",
      `import { defineWrapper } from "@kit/core";\nimport type { Failure, Reply } from "@kit/types";\n${own}`,
    ],
    [
      "src/app.ts",
      `import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { open, queued } from "../limits/dist/index.js";
import type { ReportRoutes } from "./reports.routes.ts";

${rest}`,
    ],
  ]);
}

describe("an application whose wrappers reply and fail", () => {
  let project: Project;
  before(async () => {
    project = await Project.of(files);
    await project.kitOk("build");
  });
  after(() => project.remove());

  test("compiles, and its client has the replies and failures of the wrappers", async () => {
    const tsc = join(repository, "node_modules/.bin/tsc");
    const result = await run(process.execPath, [tsc, "-p", "."], { cwd: project.root });
    assert.equal(result.code, 0, result.stdout);
  });

  test("passes its generated contract tests, which report a reply that no test received", async () => {
    const result = await project.kit(["test"], { timeout: 120_000 });
    const output = result.stdout + result.stderr;
    assert.equal(result.code, 0, output);
    assert.match(output, /POST \/reports[^\n]*202/);
  });

  test("has the replies and failures of the wrappers in its OpenAPI document, which has no problems", async () => {
    const source = await documentOf(project);
    const { paths } = JSON.parse(source) as {
      paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>;
    };
    const post = paths["/reports"]!["post"]!.responses;
    const get = paths["/reports"]!["get"]!.responses;
    assert.deepEqual(Object.keys(post["202"]!.headers ?? {}), ["retry-after"]);
    assert.ok(post["201"] !== undefined && post["503"] !== undefined);
    assert.ok(get["503"] !== undefined && get["202"] === undefined);
    const texts = /^(info-|tag-description|operation-(description|summary|4xx-response)|security-defined)/;
    const problems = [...(await redocly(source)), ...(await stoplight(source))];
    assert.deepEqual(
      problems.filter((line) => !texts.test(line)),
      [],
    );
  });

  test("shows wrappers and their replies in `kit inspect`", async () => {
    const routes = await project.kitOk("inspect", "routes");
    assert.match(routes.stdout, /POST\s+\/reports.*201 Report, 202 Queued/);
    const middleware = await project.kitOk("inspect", "middleware");
    assert.match(middleware.stdout, /queued\s+1\s+route, wrapper/);
  });

  test("has the same contracts if its wrappers come from a compiled package", async () => {
    const other = await Project.of(withPackage());
    try {
      const tsc = join(repository, "node_modules/.bin/tsc");
      const compiled = await run(process.execPath, [tsc, "-p", "limits"], { cwd: other.root });
      assert.equal(compiled.code, 0, compiled.stdout);
      await other.kitOk("build");
      assert.equal(await documentOf(other), await documentOf(project));
      const checked = await run(process.execPath, [tsc, "-p", "."], { cwd: other.root });
      assert.equal(checked.code, 0, checked.stdout);
      // The application starts, and its wrappers send what their types say.
      const result = await other.kit(["test"], { timeout: 120_000 });
      assert.equal(result.code, 0, result.stdout + result.stderr);
    } finally {
      await other.remove();
    }
  });
});
