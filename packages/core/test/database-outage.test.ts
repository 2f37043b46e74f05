import assert from "node:assert/strict";
import { createServer, type AddressInfo } from "node:net";
import { describe, it } from "node:test";

import { drizzle } from "drizzle-orm/node-postgres";
import { Kysely, PostgresDialect, sql } from "kysely";
import { DatabaseError, Pool } from "pg";

import { responseOf, route } from "./support/compiled.ts";
import { errorOf, serve } from "./support/serve.ts";

const get = route("GET /notes", { response: responseOf("Note", { id: "string" }) });

function postgres(code: string): DatabaseError {
  return Object.assign(new DatabaseError("of db.internal", 100, "error"), { code });
}

/** Returns a port on which no server listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Returns the value of `Retry-After`. Headers are a list of alternating names and values. */
function retryAfter({ headers }: { readonly headers: readonly string[] }): string | undefined {
  const at = headers.indexOf("retry-after");
  return at === -1 ? undefined : headers[at + 1];
}

async function answerTo(handler: () => unknown, env: "production" | "development" = "production") {
  const { send, log } = await serve([[get, handler]], { logLevel: "info", env });
  return { answer: await send("GET /notes"), log };
}

describe("the response to an error of an unreachable database", () => {
  const pools: [string, (pool: Pool) => Promise<unknown>][] = [
    ["pg", (pool) => pool.query("select 1")],
    ["drizzle", (pool) => drizzle(pool).execute("select 1")],
    [
      "Kysely",
      (pool) => sql`select 1`.execute(new Kysely<object>({ dialect: new PostgresDialect({ pool }) })),
    ],
  ];
  for (const [name, query] of pools) {
    it(`is 503 with Retry-After if ${name} is refused a connection`, async () => {
      const pool = new Pool({ host: "127.0.0.1", port: await closedPort() });
      const { answer, log } = await answerTo(() => query(pool));
      assert.equal(answer.status, 503);
      assert.equal(retryAfter(answer), "1");
      const { code, message } = errorOf(answer);
      assert.deepEqual({ code, message }, { code: "SERVICE_UNAVAILABLE", message: "Service Unavailable" });
      assert.doesNotMatch(answer.text!, /127\.0\.0\.1|ECONNREFUSED|select/);
      assert.match(JSON.stringify(log), /ECONNREFUSED/);
    });

    it(`is 503 if ${name} receives no connection before its timeout`, async () => {
      // Server that accepts connections and sends nothing.
      const server = createServer().unref();
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      const { port } = server.address() as AddressInfo;
      const pool = new Pool({ host: "127.0.0.1", port, connectionTimeoutMillis: 50, max: 1 });
      // The second query waits for the connection of the first.
      const [first, second] = await Promise.all([answerTo(() => query(pool)), answerTo(() => query(pool))]);
      assert.deepEqual([first.answer.status, second.answer.status], [503, 503]);
      server.close();
    });
  }

  for (const code of ["08006", "08P01", "53300", "57P01", "57P02", "57P03"]) {
    it(`is 503 for the SQL state ${code}, even if only a cause of the error has it`, async () => {
      const wrapped = new Error("Failed query", { cause: new Error("again", { cause: postgres(code) }) });
      for (const error of [postgres(code), wrapped]) {
        const { answer } = await answerTo(() => Promise.reject(error));
        assert.deepEqual([answer.status, retryAfter(answer)], [503, "1"]);
        assert.doesNotMatch(answer.text!, /db\.internal/);
      }
    });
  }

  for (const code of ["40001", "40P01", "55P03"]) {
    it(`is 503 TRANSACTION_CONFLICT with Retry-After for the SQL state ${code}, which the log has`, async () => {
      for (const error of [postgres(code), new Error("Failed query", { cause: postgres(code) })]) {
        const { answer, log } = await answerTo(() => Promise.reject(error));
        assert.deepEqual([answer.status, retryAfter(answer)], [503, "1"]);
        const { code: shown, message } = errorOf(answer);
        assert.deepEqual(
          [shown, message],
          [
            "TRANSACTION_CONFLICT",
            "Another request uses the same data at the moment; send this request again",
          ],
        );
        assert.doesNotMatch(answer.text!, /db\.internal/);
        assert.match(JSON.stringify(log), new RegExp(code));
      }
    });
  }

  it("contains the message of the driver in development", async () => {
    const { answer } = await answerTo(() => Promise.reject(postgres("57P03")), "development");
    assert.equal(errorOf(answer)["message"], "of db.internal");
    assert.equal(errorOf(answer)["code"], "SERVICE_UNAVAILABLE");
  });

  it("is 500 if the error has another reason than an outage", async () => {
    const circle = new Error("a");
    circle.cause = circle;
    const hostile = Object.defineProperty(new Error("b"), "code", {
      get() {
        throw new Error("no");
      },
    });
    const file = Object.assign(new Error("no such file"), { code: "ENOENT", syscall: "open" });
    const failed = await fetch(`http://127.0.0.1:${await closedPort()}`).catch((error: unknown) => error);
    for (const error of [
      postgres("23505"),
      postgres("57014"),
      file,
      failed,
      circle,
      hostile,
      "ECONNREFUSED",
      null,
    ]) {
      const { answer } = await answerTo(() => Promise.reject(error as Error));
      assert.deepEqual([answer.status, retryAfter(answer)], [500, undefined]);
    }
  });
});
