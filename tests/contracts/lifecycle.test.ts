// Builds an application with a deprecated route. Its contract tests must check the headers that tell clients of its end.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Project } from "../e2e/support/project.ts";
import { passingTests, projectFiles } from "./project-files.ts";

const app = `import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { RouteContract } from "@kit/types";

/**
 * @deprecatedSince 2026-01-01
 * @sunset 2027-01-01
 */
export interface NoteRoutes {
  /** @successor /v2/notes */
  "GET /notes": RouteContract<void, void, void, string[]>;
}

export const noteHandlers = defineHandlers<NoteRoutes>({ "GET /notes": () => [] });

export const app = createApp({ server: nativeServer(), routes: [{ handlers: noteHandlers }] });
`;

const files = new Map<string, string>([
  ...projectFiles("versions", ["core", "server-native", "testing", "types"]),
  ["src/app.ts", app],
]);

describe("the contract tests of a deprecated route", () => {
  let project: Project;
  before(async () => {
    project = await Project.of(files);
    await project.kitOk("build");
  });
  after(() => project.remove());

  test("pass if each response has the headers", async () => {
    await passingTests(project);
  });

  test("fail if a response lacks one of the headers", async () => {
    const withoutSunset = app
      .replace("defineHandlers }", "defineHandlers, defineWrapper }")
      .replace(
        "routes: [{ handlers: noteHandlers }]",
        "routes: [{ handlers: noteHandlers, middleware: [quiet] }]",
      )
      .replace(
        "export const app",
        `const quiet = defineWrapper(async (_input, next) => {
  const answer = await next();
  answer.headers.delete("sunset");
  return answer;
});

export const app`,
      );
    await writeFile(join(project.root, "src/app.ts"), withoutSunset);
    await project.kitOk("build");
    const { code, stdout, stderr } = await project.kit(["test"], { timeout: 120_000 });
    assert.equal(code, 1);
    assert.match(
      stdout + stderr,
      /GET \/notes answered without the header `sunset`, which tells clients that the route ends/,
    );
  });
});
