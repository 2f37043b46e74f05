// Builds an application with idempotency keys. Its errors must be in the OpenAPI document, its contract tests must pass,
// and its client must send a key by itself and repeat it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Cluster } from "../database/support/cluster.ts";
import { run } from "../e2e/support/command.ts";
import { Project } from "../e2e/support/project.ts";
import { projectFiles } from "./project-files.ts";

const app = `import { createApp, defineHandlers } from "@kit/core";
import { cancellable } from "@kit/core/pg";
import { idempotent } from "@kit/idempotency";
import { nativeServer } from "@kit/server-native";
import type { Route } from "@kit/types";
import { Pool } from "pg";

export interface Payment {
  /** @integer */
  id: number;
  /** @minLength 1 @maxLength 40 */
  text: string;
}

export interface PaymentRoutes {
  "POST /payments": Route<{
    headers: { "idempotency-key": string };
    body: Omit<Payment, "id">;
    response: Payment;
  }>;
}

const pool = new Pool({ connectionString: process.env["TEST_DATABASE"] });

export const paymentHandlers = defineHandlers<PaymentRoutes>({
  "POST /payments": async ({ body, ctx }) => {
    const { rows } = await cancellable(pool, ctx.signal).query(
      "insert into payments (text) values ($1) returning id, text",
      [body.text],
    );
    return rows[0] as Payment;
  },
});

export const once = idempotent({ pool, by: "none" });

export const app = createApp({
  server: nativeServer(),
  middleware: [{ name: "once", middleware: once, priority: 0 }],
  routes: [{ handlers: paymentHandlers }],
  plugins: [{ name: "database", onStop: () => pool.end() }],
});
`;

/** Calls the application through a \`fetch\` that loses the first response. */
const calls = `import { createClient } from "../.kit/client/index.ts";
import { app } from "./app.ts";

const { url } = await app.listen({ port: 0 });
const keys: (string | null)[] = [];
const api = createClient({
  baseUrl: url,
  fetch: async (request) => {
    keys.push(request.headers.get("idempotency-key"));
    const response = await fetch(request);
    if (keys.length > 1) return response;
    await response.arrayBuffer();
    throw new TypeError("the connection was lost");
  },
});
const first = await api.post("/payments", { body: { text: "tea" } });
const second = await api.post("/payments", { body: { text: "tea" } });
console.log(JSON.stringify({ first, second, keys }));
await app.close();
`;

const files = new Map<string, string>([
  ...projectFiles("payments", ["core", "client", "idempotency", "server-native", "testing", "types"]),
  ["src/app.ts", app],
  ["src/main.ts", 'import { app } from "./app.ts";\nawait app.listen({ port: 0 });\n'],
  ["src/calls.ts", calls],
]);

describe("an application with idempotency keys", { timeout: 180_000 }, () => {
  let project: Project;
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start();
    const { idempotencyTableSql } = await import("@kit/idempotency");
    await cluster.query(idempotencyTableSql());
    await cluster.query("create table payments (id serial primary key, text text not null)");
    project = await Project.of(files);
    await project.kitOk("build");
  });
  after(async () => {
    await project?.remove();
    await cluster?.remove();
  });

  test("has the errors 409 and 422 in the OpenAPI document, and passes its contract tests", async () => {
    const { paths } = JSON.parse(await readFile(join(project.root, ".kit/schemas/openapi.json"), "utf8")) as {
      paths: Record<string, { post: { responses: Record<string, object> } }>;
    };
    const { responses } = paths["/payments"]!.post;
    assert.ok("409" in responses && "422" in responses, JSON.stringify(responses));
    const result = await project.kit(["test"], {
      timeout: 120_000,
      env: { TEST_DATABASE: cluster.url },
    });
    assert.equal(result.code, 0, result.stdout + result.stderr);
  });

  test("executes a call once if its client loses the response and repeats the call", async () => {
    await cluster.query("truncate payments restart identity");
    const result = await run(process.execPath, ["src/calls.ts"], {
      cwd: project.root,
      timeout: 60_000,
      env: { TEST_DATABASE: cluster.url },
    });
    assert.equal(result.code, 0, result.stdout + result.stderr);
    const { first, second, keys } = JSON.parse(result.stdout.trim().split("\n").at(-1)!) as {
      first: unknown;
      second: unknown;
      keys: string[];
    };
    assert.deepEqual(
      [first, second],
      [
        { id: 1, text: "tea" },
        { id: 2, text: "tea" },
      ],
    );
    assert.equal(keys.length, 3);
    assert.match(keys[0]!, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    assert.equal(keys[0], keys[1], "a repetition has the same key");
    assert.notEqual(keys[1], keys[2], "another call has another key");
  });
});
