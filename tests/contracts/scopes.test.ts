// Builds an application whose contracts require scopes. The generated contract tests must pass, and must fail for
// applications that let callers without the scopes through. Contracts whose scopes no middleware knows must not compile.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { run } from "../e2e/support/command.ts";
import { Project, repository } from "../e2e/support/project.ts";
import { redocly, stoplight } from "../openapi/linters.ts";
import { passingTests, projectFiles } from "./project-files.ts";

const middleware = `import { defineMiddleware } from "@kit/core";
import type { Auth } from "@kit/types";

export type Scope = "orders:read" | "orders:write" | "admin";

/** Scopes of the callers, by bearer token. */
const callers = new Map<string, readonly Scope[]>([
  ["admin-token", ["admin"]],
  ["writer-token", ["orders:read", "orders:write"]],
  ["nobody-token", []],
]);

/**
 * Authenticates the caller.
 *
 * @security bearer
 * @throws UNAUTHORIZED 401 The token is missing or not valid.
 */
export const authenticate = defineMiddleware<{ auth: Auth<Scope> }>(({ headers, ctx }) => {
  const token = headers["authorization"]?.replace("Bearer ", "") ?? "";
  const scopes = callers.get(token);
  if (scopes === undefined) return ctx.fail(401, "UNAUTHORIZED", "Send a valid token");
  return { auth: { has: (scope) => scopes.includes(scope) } };
});
`;

const files = new Map<string, string>([
  ...projectFiles("orders", ["client", "core", "server-native", "testing", "types"]),
  ["kit.config.ts", `export default { tests: { fixtures: "tests/fixtures.ts" } };\n`],
  [
    "tests/fixtures.ts",
    `import { defineFixtures } from "@kit/testing";

export default defineFixtures({
  headers: { authorization: "Bearer writer-token" },
  withoutScopes: { authorization: "Bearer nobody-token" },
});
`,
  ],
  [
    "src/orders.routes.ts",
    `import type { Route, Scopes, Socket } from "@kit/types";

export interface Order {
  /** @minLength 1 @maxLength 20 */
  sku: string;
}

/** Orders of a shop. */
export interface OrderRoutes {
  /**
   * Adds an order.
   *
   * @summary Add an order
   */
  "POST /orders": Route<{ body: Order; response: Order; auth: Scopes<"orders:write"> }>;
  /**
   * Lists orders.
   *
   * @summary List orders
   */
  "GET /orders": Route<{ response: Order[]; auth: Scopes<"orders:read" | "orders:write"> | Scopes<"admin"> }>;
  /** Reports new orders. */
  "WS /orders/live": Route<{ socket: Socket<{ in: string; out: Order }>; auth: Scopes<"orders:read"> }>;
}
`,
  ],
  ["src/authenticate.ts", middleware],
  [
    "src/app.ts",
    `import { createApp, defineHandlers, defineMiddleware, defineWrapper } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { authenticate } from "./authenticate.ts";
import type { OrderRoutes } from "./orders.routes.ts";

const counted = defineWrapper((_input, next) => next());
const named = defineMiddleware(({ ctx }) => {
  ctx.header("x-named", "yes");
});

export const orderHandlers = defineHandlers<OrderRoutes>({
  "POST /orders": ({ body }) => body,
  "GET /orders": () => [],
  "WS /orders/live": async ({ socket }) => {
    for await (const sku of socket) await socket.send({ sku: sku.slice(0, 20) || "none" });
  },
});

export const app = createApp({
  server: nativeServer(),
  routes: [{
    handlers: orderHandlers,
    middleware: [{ name: "authenticate", middleware: authenticate, priority: 0 }],
    on: {
      "POST /orders": {
        middleware: [
          { name: "counted", middleware: counted, priority: 1 },
          { name: "named", middleware: named, priority: 2 },
        ],
      },
    },
  }],
});
`,
  ],
  [
    "src/client.ts",
    `import { createClient } from "../.kit/client/index.ts";

const api = createClient({ baseUrl: "http://localhost" });

/** Returns the scopes that the caller lacks. */
export async function missingScopes(): Promise<readonly (readonly ("admin" | "orders:read" | "orders:write")[])[]> {
  const result = await api.get("/orders").result();
  if (result.ok || result.error.code !== "INSUFFICIENT_SCOPE") return [];
  const { details } = result.error;
  // @ts-expect-error -- the contract does not require this scope
  if (details?.missingScopes[0]?.[0] === "orders:delete") return [];
  return details?.missingScopes ?? [];
}
`,
  ],
]);

type Requirement = Readonly<Record<string, readonly string[]>>;

describe("an application whose contracts require scopes", () => {
  let project: Project;
  before(async () => {
    project = await Project.of(files);
    await project.kitOk("build");
  });
  after(() => project.remove());

  test("compiles, and passes all generated contract tests without skipping a test", async () => {
    const output = await passingTests(project);
    assert.doesNotMatch(output, /no caller without scopes/);
    // Every declared 401 and 403 was sent.
    assert.doesNotMatch(output, /no request got the response 40[13]/);
  });

  test("fails its contract tests if the middleware lets requests without credentials through", async () => {
    const open = middleware.replace(
      'return ctx.fail(401, "UNAUTHORIZED", "Send a valid token")',
      "return open",
    );
    assert.notEqual(open, middleware);
    const output = await testWith(`${open}\nconst open = { auth: { has: () => true } };\n`);
    assert.match(output, /POST \/orders accepted a request without credentials/);
    assert.match(output, /WS \/orders\/live accepted a request without credentials/);
  });

  test("fails its contract tests if the middleware gives every caller all scopes", async () => {
    const output = await testWith(
      middleware.replace("scopes.includes(scope)", "scopes.includes(scope) || true"),
    );
    assert.match(output, /POST \/orders accepted a caller without the scope orders:write/);
    assert.match(
      output,
      /GET \/orders accepted a caller without the scopes orders:read and orders:write, or the scope admin/,
    );
  });

  /** Runs the contract tests with another middleware. Returns the output of the failed run. */
  async function testWith(text: string): Promise<string> {
    const file = join(project.root, "src/authenticate.ts");
    try {
      await writeFile(file, text);
      const result = await project.kit(["test"], { timeout: 120_000 });
      assert.equal(result.code, 1, result.stdout);
      return result.stdout + result.stderr;
    } finally {
      await writeFile(file, middleware);
    }
  }

  test("tells the server before which wrapper it checks the scopes", async () => {
    const routes = await readFile(join(project.root, ".kit/routes/routes.js"), "utf8");
    const wrappers = Array.from(
      routes.matchAll(/isBearer: true(?:, before: "(\w+)")? \}/g),
      ([, name]) => name,
    );
    assert.deepEqual(wrappers, ["counted", undefined, undefined]);
  });

  test("has the scopes and both errors in its OpenAPI document, which has no problems", async () => {
    const source = await readFile(join(project.root, ".kit/schemas/openapi.json"), "utf8");
    const { paths } = JSON.parse(source) as {
      paths: Record<string, Record<string, { security: Requirement[]; responses: Record<string, object> }>>;
    };
    const post = paths["/orders"]!["post"]!;
    assert.deepEqual(post.security, [{ bearerAuth: ["orders:write"] }]);
    assert.ok(post.responses["401"] !== undefined && post.responses["403"] !== undefined);
    assert.match(JSON.stringify(post.responses["403"]), /"missingScopes":\[\["orders:write"\]\]/);
    assert.deepEqual(paths["/orders"]!["get"]!.security, [
      { bearerAuth: ["orders:read", "orders:write"] },
      { bearerAuth: ["admin"] },
    ]);
    // The linters know neither that scopes of other schemes than OAuth are allowed since OpenAPI 3.1 (4.8.30), nor that
    // 101 is a success.
    const texts =
      /^(info-|tag-description|operation-(description|summary|4xx-response|2xx-response|success-response)|security-defined|oas3-operation-security-defined .* must be listed among scopes)/;
    const problems = [...(await redocly(source)), ...(await stoplight(source))];
    assert.deepEqual(
      problems.filter((line) => !texts.test(line)),
      [],
    );
  });

  test("shows the scopes in `kit inspect routes`", async () => {
    const { stdout } = await project.kitOk("inspect", "route", "GET /orders");
    assert.match(stdout, /orders:read \+ orders:write, or admin/);
  });
});

/** Contracts and middleware that do not fit, with the part of the message that says what to add. */
const misfits: readonly (readonly [auth: string, middleware: string, message: string])[] = [
  ["Scopes<'a'>", "", "add a middleware with ctx.auth of the type Auth<'a'>"],
  ["Scopes<'a:write'>", "", "add a middleware with ctx.auth of the type Auth<'a:write'>"],
  [
    "Scopes<'a'>",
    "knows<'b'>()",
    "the scope a is required by a contract: add a middleware with ctx.auth of the type Auth<'a'>",
  ],
  ["Scopes<'a' | 'b'>", "knows<'b'>()", "add a middleware with ctx.auth of the type Auth<'a'>"],
  ["Scopes<'a' | 'b'>", "knows<'a'>()", "add a middleware with ctx.auth of the type Auth<'b'>"],
  ["Scopes<'a'> | Scopes<'b'>", "knows<'a'>()", "add a middleware with ctx.auth of the type Auth<'b'>"],
  ["Scopes<'a' | 'b' | 'c'>", "knows<'a' | 'b'>()", "add a middleware with ctx.auth of the type Auth<'c'>"],
  ["Scopes<'orders:write'>", "knows<'orders:read'>()", "Auth<'orders:write'>"],
  ["Scopes<'Admin'>", "knows<'admin'>()", "Auth<'Admin'>"],
  ["Scopes<'admin '>", "knows<'admin'>()", "Auth<'admin '>"],
  ["Scopes<'a'>", "adds({ userId: '1' })", "add a middleware with ctx.auth of the type Auth<'a'>"],
  ["Scopes<'a'>", "adds({ auth: { userId: '1' } })", "add a middleware with ctx.auth of the type Auth<'a'>"],
  [
    "Scopes<'a'>",
    "adds({ auth: { has: () => 'yes' } })",
    "add a middleware with ctx.auth of the type Auth<'a'>",
  ],
  [
    "Scopes<'a'>",
    "adds({ auth: { has: async () => true } })",
    "add a middleware with ctx.auth of the type Auth<'a'>",
  ],
  ["Scopes<'a'>", "adds<{ auth?: Auth<'a'> }>({})", "add a middleware with ctx.auth of the type Auth<'a'>"],
  [
    "Scopes<'a'>",
    "adds<{ auth: Auth<'a'> | null }>({ auth: null })",
    "add a middleware with ctx.auth of the type Auth<'a'>",
  ],
  [
    "Scopes<'a'>",
    "adds<{ auth: unknown }>({ auth: 1 })",
    "add a middleware with ctx.auth of the type Auth<'a'>",
  ],
  [
    "Scopes<'a'>",
    "adds<{ Auth: Auth<'a'> }>({ Auth: { has: () => true } })",
    "add a middleware with ctx.auth of the type Auth<'a'>",
  ],
  ["Scopes<1>", "knows<'a'>()", "Type 'number' does not satisfy the constraint 'string'"],
  ["'a'", "knows<'a'>()", "does not satisfy the constraint"],
  ["Scopes<'a'>[]", "knows<'a'>()", "does not satisfy the constraint"],
  ["{ scopes: 'a' }", "knows<'a'>()", "does not satisfy the constraint"],
];

test("a contract does not compile if no middleware can grant its scopes, and the message names the middleware to add", async () => {
  const opening = `import { createApp, defineHandlers, defineMiddleware, type AddedProperties } from "@kit/core";
import type { Auth, Route, Scopes } from "@kit/types";
const knows = <S extends string>() => defineMiddleware<{ auth: Auth<S> }>(() => ({ auth: { has: () => true } }));
const adds = <T extends AddedProperties>(added: T) => defineMiddleware<T>(() => added);
void [knows, adds];
`;
  const fileOf = (auth: string, given: string): string =>
    `${opening}interface Routes { "GET /a": Route<{ response: string; auth: ${auth} }> }
const handlers = defineHandlers<Routes>({ "GET /a": () => "" });
export const app = createApp({ routes: [{ handlers, middleware: [${given}] }] });
declare const used: Auth<"a"> | Scopes<"a">;
export { used };
`;
  const valid: (readonly [string, string])[] = [
    ["Scopes<'a'>", "knows<'a'>()"],
    ["Scopes<'a'>", "knows<'a' | 'b'>()"],
    ["Scopes<'a'> | Scopes<'b'>", "knows<string>()"],
    ["Scopes<'a'>", "adds({ auth: { has: () => true } })"],
  ];
  const cases = [...misfits.map(([auth, given]) => [auth, given] as const), ...valid];
  const sources = cases.map(([auth, given], index) => [`src/case${index}.ts`, fileOf(auth, given)] as const);
  const kept = projectFiles("misfits", ["core", "types"]);
  const project = await Project.of(new Map([...kept, ...sources]));
  try {
    const tsc = join(repository, "node_modules/.bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, "-p", ".", "--pretty", "false"], {
      cwd: project.root,
    });
    const messages = new Map<string, string>();
    let file = "";
    for (const line of stdout.split("\n")) {
      file = /^src\/(\w+)\.ts\(/.exec(line)?.[1] ?? file;
      messages.set(file, `${messages.get(file) ?? ""}${line}\n`);
    }
    for (const [index, [auth, given, message]] of misfits.entries()) {
      const found = messages.get(`case${index}`) ?? "(no error)";
      assert.ok(found.includes(message), `${auth} with ${given || "no middleware"}: ${found}`);
    }
    for (const index of valid.keys()) {
      assert.equal(messages.get(`case${misfits.length + index}`), undefined, stdout);
    }
  } finally {
    await project.remove();
  }
});
