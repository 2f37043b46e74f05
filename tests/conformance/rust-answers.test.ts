// Tests responses of the Rust server that break their contract, and its error responses in development. The tests of `packages/core` do
// the same for the adapters.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";

import type { Served } from "./columns.ts";
import { isRust, startRust } from "./rust.ts";

type Fields = Record<string, unknown>;

const project = new URL("rust-server/", import.meta.url);

async function get(app: Served, path: string): Promise<{ readonly status: number; readonly body: Fields }> {
  const answer = await fetch(`http://127.0.0.1:${app.port}${path}`);
  return { status: answer.status, body: (await answer.json()) as Fields };
}

/** Returns the location `file:line` of a text that a file of the project contains once. */
async function placeOf(file: string, text: string): Promise<string> {
  const lines = (await readFile(new URL(file, project), "utf8")).split("\n");
  const found = lines.flatMap((line, index) => (line.includes(text) ? [index + 1] : []));
  assert.equal(found.length, 1, `${file} has ${text} ${found.length} times`);
  return `${file}:${found[0]}`;
}

for (const mode of ["development", "production"] as const) {
  describe(`the Rust server in ${mode}`, { skip: !isRust && "set KIT_E2E_SERVER=rust to run it" }, () => {
    let app: Served;
    before(async () => {
      app = await startRust("rust-server", { bodyBytes: 65_536 }, mode);
    });
    after(() => app[Symbol.asyncDispose]());

    test("the Rust server checks responses against their contract in development", async () => {
      const { status, body } = await get(app, "/wrong");
      if (mode === "production") {
        assert.deepEqual([status, body], [200, { text: "long" }]);
        return;
      }
      const error = body["error"] as Fields;
      assert.equal(status, 500);
      assert.equal(
        error["message"],
        "The handler of GET /wrong returned a value that is not a valid Short: $.text: expected string, at most 3 characters, received string of 4 characters",
      );
      assert.equal((error["details"] as Fields)["name"], "ResponseContractError");
      assert.deepEqual([error["phase"], error["schema"]], ["serialization", "Short"]);
      assert.equal((error["failures"] as Fields[])[0]!["path"], "$.text");
      assert.equal(error["schemaFile"], "api/app.routes.ts");
    });

    test("responds with 500 if a response contains a number that JSON cannot represent", async () => {
      const { status, body } = await get(app, "/infinite");
      assert.equal(status, 500);
      assert.equal(
        (body["error"] as Fields)["message"],
        mode === "production" ? "Internal Server Error" : "Infinity has no form in JSON",
      );
    });

    const places: readonly [path: string, file: string, text: string][] = [
      ["/reject", "src/handlers/apps.rs", 'Err(Error::internal("secret"))'],
      ["/fail", "src/handlers/apps.rs", '.with("Taken")'],
      ["/split", "src/handlers/apps.rs", 'HeaderValue::from_str("1'],
      ["/guarded/5", "src/middleware/auth.rs", "AppError::Unauthorized"],
      ["/numbers/x", "api/app.routes.ts", '"GET /numbers/:id"'],
    ];
    for (const [path, file, text] of places) {
      test(`${path}: an error response names the file and line in development, and no file in production`, async () => {
        const { body } = await get(app, path);
        const error = body["error"] as Fields;
        if (mode === "production") {
          assert.doesNotMatch(JSON.stringify(body), /src\/|api\//);
          return;
        }
        assert.equal(error["sourceFile"], await placeOf(file, text));
      });
    }
  });
}
