// Builds an application with a rate limit. The error 429 must be in the OpenAPI document, and an application whose workers
// would each count for themselves must not start.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { run } from "../e2e/support/command.ts";
import { Project } from "../e2e/support/project.ts";
import { projectFiles } from "./project-files.ts";

const app = (server: string): string => `import { createApp, defineHandlers } from "@kit/core";
import { rateLimit } from "@kit/rate-limit";
import { nativeServer } from "@kit/server-native";
import type { RouteContract } from "@kit/types";

export interface NoteRoutes {
  "GET /notes": RouteContract<void, void, void, string[]>;
}

export const noteHandlers = defineHandlers<NoteRoutes>({ "GET /notes": () => [] });
export const limited = rateLimit({ limit: "1000/min" });

export const app = createApp({
  server: ${server},
  middleware: [{ name: "limited", middleware: limited, priority: 0 }],
  routes: [{ handlers: noteHandlers }],
});
`;

const files = new Map<string, string>([
  ...projectFiles("limited", ["core", "rate-limit", "server-native", "testing", "types"]),
  ["src/app.ts", app("nativeServer()")],
  ["src/main.ts", 'import { app } from "./app.ts";\nawait app.listen({ port: 0 });\n'],
]);

describe("an application with a rate limit", () => {
  let project: Project;
  before(async () => {
    project = await Project.of(files);
    await project.kitOk("build");
  });
  after(() => project.remove());

  test("has the error 429 in the OpenAPI document, and passes its contract tests", async () => {
    const { paths } = JSON.parse(await readFile(join(project.root, ".kit/schemas/openapi.json"), "utf8")) as {
      paths: Record<string, { get: { responses: Record<string, object> } }>;
    };
    assert.ok(paths["/notes"]!.get.responses["429"] !== undefined, JSON.stringify(paths["/notes"]));
    const result = await project.kit(["test"], { timeout: 120_000 });
    assert.equal(result.code, 0, result.stdout + result.stderr);
  });

  test("does not start if several workers would have separate counts", async () => {
    await writeFile(join(project.root, "src/app.ts"), app("nativeServer({ workers: 2 })"));
    const result = await run(process.execPath, ["src/main.ts"], { cwd: project.root, timeout: 60_000 });
    assert.equal(result.code, 1);
    assert.match(result.stdout + result.stderr, /this process is one of several workers/);
  });
});
