// Applications whose middleware does not provide the scopes, owners or context that contracts and handlers need. `tsc` or `kit build`
// refuses each of them, with a message that says which middleware to add or to change. scopes.test.ts has more contracts with scopes.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { run } from "../e2e/support/command.ts";
import { Project, repository } from "../e2e/support/project.ts";
import { projectFiles } from "./project-files.ts";

/** An application that cannot be compiled. */
interface Refused {
  /** Mistake of the application. */
  readonly name: string;
  /** Source of the application, after the imports. */
  readonly source: string;
  /** Text of the error. */
  readonly message: string;
}

const imports = `
import { apiKeys, createSessions, defineRoles, jwt, memorySessions, sessionAuth } from "@kit/auth";
import { createApp, defineHandlers, defineMiddleware, defineWrapper } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { Auth, Route, Scopes } from "@kit/types";

interface Writes { "POST /orders": Route<{ auth: Scopes<"orders:write"> }> }
interface Reads { "GET /orders": Route<{ response: string[]; auth: Scopes<"orders:read"> }> }
interface Pings { "GET /ping": Route<{ response: string }> }
const writes = defineHandlers<Writes>({ "POST /orders": () => {} });
const reads = defineHandlers<Reads>({ "GET /orders": () => [] });
const server = nativeServer();
const tokens = { issuer: "https://id.example", audience: "shop", keys: new Uint8Array(32) };
const reader = defineMiddleware<{ auth: Auth<"orders:read"> }>(() => ({ auth: { has: () => true } }));
const writer = defineMiddleware<{ auth: Auth<"orders:write"> }>(() => ({ auth: { has: () => true } }));
`;

const writeScope =
  "the scope orders:write is required by a contract: add a middleware with ctx.auth of the type Auth<'orders:write'>";
const notAdded = (name: string): string =>
  `ctx.${name} is read by a handler, but no middleware of the group adds it`;

/** Applications that TypeScript refuses. */
const ofTypeScript: readonly Refused[] = [
  {
    name: "a middleware of another route of the group",
    source: `interface Two extends Writes, Pings {}
      const two = defineHandlers<Two>({ ...writes, "GET /ping": () => "" });
      createApp({ server, routes: [{ handlers: two, on: { "GET /ping": { middleware: [writer] } } }] });`,
    message: writeScope,
  },
  {
    name: "a middleware of a group beside",
    source: `createApp({ server, routes: [{ handlers: reads, middleware: [reader] }, { handlers: writes }] });`,
    message: writeScope,
  },
  {
    name: "a nested group with a scope that the outer group does not know",
    source: `createApp({ server, routes: [{ middleware: [reader], routes: [{ handlers: reads }, { handlers: writes }] }] });`,
    message: writeScope,
  },
  {
    name: "access tokens without the option scopes",
    source: "createApp({ server, middleware: [jwt(tokens)], routes: [{ handlers: writes }] });",
    message: writeScope,
  },
  {
    name: "access tokens with other scopes",
    source: `createApp({ server, middleware: [jwt({ ...tokens, scopes: ["orders:read"] })], routes: [{ handlers: writes }] });`,
    message: writeScope,
  },
  {
    name: "API keys with other scopes",
    source: `const keys = apiKeys({ prefix: "shop", scopes: ["orders:read"], find: () => null });
      createApp({ server, routes: [{ handlers: writes, middleware: [keys] }] });`,
    message: writeScope,
  },
  {
    name: "sessions without scopes",
    source: `const session = sessionAuth(createSessions({ store: memorySessions() }));
      createApp({ server, routes: [{ handlers: writes, middleware: [session] }] });`,
    message: writeScope,
  },
  {
    name: "roles without the scope",
    source: `const { scopes, scopesOf } = defineRoles({ clerk: ["orders:read"], guest: [] });
      const roles = jwt({ ...tokens, scopes, scopesOf: (claims) => scopesOf(claims["roles"]) });
      createApp({ server, routes: [{ handlers: writes, middleware: [roles] }] });`,
    message: writeScope,
  },
  {
    name: "a wrapper that knows other scopes",
    source: `const wrapped = defineWrapper<{ adds: { auth: Auth<"orders:read"> } }>((_input, next) => next({ auth: { has: () => true } }));
      createApp({ server, routes: [{ handlers: writes, middleware: [wrapped] }] });`,
    message: writeScope,
  },
  {
    name: "a value of the context without middleware",
    source: `const pings = defineHandlers<Pings, { userId: string }>({ "GET /ping": ({ ctx }) => ctx.userId });
      createApp({ server, routes: [{ handlers: pings }] });`,
    message: notAdded("userId"),
  },
  {
    name: "a value of the context with another type",
    source: `const tenant = defineMiddleware<{ tenant: number }>(() => ({ tenant: 1 }));
      const pings = defineHandlers<Pings, { tenant: string }>({ "GET /ping": ({ ctx }) => ctx.tenant });
      createApp({ server, middleware: [tenant], routes: [{ handlers: pings }] });`,
    message: notAdded("tenant"),
  },
  {
    name: "a caller without a subject",
    source: `interface Caller extends Auth<"orders:read"> { subject: string }
      const own = defineHandlers<Reads, { auth: Caller }>({ "GET /orders": ({ ctx }) => [ctx.auth.subject] });
      createApp({ server, middleware: [reader], routes: [{ handlers: own }] });`,
    message: notAdded("auth"),
  },
];

const todoRoutes = `
import { createApp, defineHandlers, defineMiddleware } from "@kit/core";
import type { Route, Scopes } from "@kit/types";
import type { Todo } from "./todos.types.ts";
interface TodoRoutes { "GET /todos": Route<{ response: Todo[] }> }
export const todos = defineHandlers<TodoRoutes>({ "GET /todos": () => [] });
`;

const todoType = (owner: string): string => `
/** @table todos @owner ${owner} */
export interface Todo {
  /** @id @generated uuid */
  id: string;
  userId: string;
}
`;

/** Applications that the compiler of kit refuses. */
const ofKit: readonly (Refused & { readonly owner: string })[] = [
  {
    name: "an owner that no middleware adds",
    owner: "userId = ctx.userId",
    source: `export const requireAuth = defineMiddleware<{ user: string }>(() => ({ user: "" }));
      createApp({ middleware: [requireAuth], routes: [{ handlers: todos }] });`,
    message:
      "declare the type in the middleware that adds `ctx.userId`: `defineMiddleware<{ userId: string }>`",
  },
  {
    name: "an owner without middleware",
    owner: "userId = ctx.auth.subject",
    source: `createApp({ routes: [{ handlers: todos }] });`,
    message:
      "declare the type in the middleware that adds `ctx.auth.subject`: `defineMiddleware<{ auth: { subject: string } }>`",
  },
  {
    name: "an owner of another type",
    owner: "userId = ctx.userId",
    source: `export const requireAuth = defineMiddleware<{ userId: number }>(() => ({ userId: 1 }));
      createApp({ middleware: [requireAuth], routes: [{ handlers: todos }] });`,
    message: "let `requireAuth` add a `string`",
  },
  {
    name: "an owner that may be absent",
    owner: "userId = ctx.userId",
    source: `export const requireAuth = defineMiddleware<{ userId?: string }>(() => ({}));
      createApp({ middleware: [requireAuth], routes: [{ handlers: todos }] });`,
    message: "let `requireAuth` add a `string`",
  },
  {
    name: "a scope whose routes have only middleware without a caller",
    owner: "none",
    source: `interface Private { "GET /private": Route<{ response: string; auth: Scopes<"todos:read"> }> }
      const timed = defineMiddleware<{ startedAt: number }>(() => ({ startedAt: 0 }));
      export const all = defineHandlers<Private>({ "GET /private": () => "" });
      createApp({ routes: [{ handlers: all, middleware: [{ name: "timed", middleware: timed, priority: 0 }] }] });`,
    message:
      "add a middleware that authenticates requests to the route group, such as `jwt(…)` of `@kit/auth`",
  },
];

const manifest = projectFiles("refused", ["auth", "core", "server-native", "types"]);

const fileOf = (index: number): string => `src/case${index}.ts`;

describe("TypeScript refuses", { timeout: 300_000 }, () => {
  let project: Project;
  /** Errors of each file. */
  const errors = new Map<string, string[]>();

  before(async () => {
    const files = ofTypeScript.map(({ source }, index) => [fileOf(index), `${imports}${source}\n`] as const);
    const valid = `${imports}createApp({ server, middleware: [writer], routes: [{ handlers: writes }] });\n`;
    project = await Project.of(new Map([...manifest, ["src/valid.ts", valid], ...files]));
    const tsc = join(repository, "node_modules/.bin/tsc");
    const { stdout } = await run(tsc, ["-p", ".", "--pretty", "false"], {
      cwd: project.root,
      timeout: 240_000,
    });
    let file = "";
    for (const line of stdout.split("\n")) {
      file = /^(\S+)\(\d+,\d+\): error/.exec(line)?.[1] ?? file;
      errors.set(file, [...(errors.get(file) ?? []), line]);
    }
  });
  after(() => project?.remove());

  test("no contract whose scope a middleware knows", () => {
    assert.deepEqual(errors.get("src/valid.ts") ?? [], []);
    const known = new Set(ofTypeScript.map((_, index) => fileOf(index)));
    assert.deepEqual(
      [...errors].filter(([file]) => !known.has(file)).flatMap(([, lines]) => lines.filter(Boolean)),
      [],
    );
  });

  for (const [index, { name, message }] of ofTypeScript.entries()) {
    test(name, () => {
      const found = (errors.get(fileOf(index)) ?? []).join("\n");
      assert.ok(found.includes(message), found || "there is no error");
    });
  }
});

describe("kit build refuses", { timeout: 300_000 }, () => {
  for (const { name, owner, source, message } of ofKit) {
    test(name, async () => {
      const files = [
        ["src/todos.types.ts", todoType(owner)],
        ["src/app.ts", todoRoutes + source],
      ] as const;
      const project = await Project.of(new Map([...manifest, ...files]));
      try {
        const { code, stdout, stderr } = await project.kit(["build"]);
        assert.equal(code, 1, stdout + stderr);
        assert.ok((stdout + stderr).includes(message), stdout + stderr);
      } finally {
        await project.remove();
      }
    });
  }
});
