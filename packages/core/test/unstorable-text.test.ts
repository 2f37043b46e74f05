import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { findUnstorable } from "../src/unstorable-characters.ts";
import { objectOf, paramsOf, queryOf, responseOf, route } from "./support/compiled.ts";
import { errorOf, serve, type TestRoute } from "./support/serve.ts";

const note = responseOf("Note", { id: "string?", title: "string?", q: "string?" });
const routes: readonly TestRoute[] = [
  [
    route("GET /notes/:id", { params: paramsOf("NoteId", { id: "string" }), response: note }),
    ({ params }) => params,
  ],
  [route("GET /notes", { query: queryOf("Search", { q: "string?" }), response: note }), ({ query }) => query],
  [
    route("POST /notes", { body: objectOf("CreateNote", { title: "string" }), response: note }),
    ({ body }) => body,
  ],
];

async function titled(json: string): Promise<{ status: number; path?: string }> {
  const { send } = await serve(routes);
  const answer = await send("POST /notes", {
    headers: { "content-type": "application/json" },
    body: `{"title":${json}}`,
  });
  if (answer.status === 201) return { status: 201 };
  const details = errorOf(answer)["details"] as { fields: { path: string }[] };
  return { status: answer.status, path: details.fields[0]!.path };
}

describe("a string that databases cannot store", () => {
  it("is refused in a body: U+0000 and unpaired surrogates", async () => {
    for (const json of [
      String.raw`"a\u0000b"`,
      String.raw`"\ud800"`,
      String.raw`"\udc00\ud800"`,
      String.raw`"x\uDFFF"`,
    ]) {
      assert.deepEqual(await titled(json), { status: 400, path: "$.title" }, json);
    }
  });

  it("is distinguished from other escapes, surrogate pairs, and a backslash before a u", async () => {
    for (const json of [
      String.raw`"\u0001"`,
      String.raw`"\ud83d\ude00"`,
      String.raw`"\\u0000"`,
      `"😀"`,
      String.raw`"\u00e9"`,
    ]) {
      assert.deepEqual(await titled(json), { status: 201 }, json);
    }
  });

  it("is accepted in an undeclared property, because that property is dropped", async () => {
    const { send } = await serve(routes);
    const body = String.raw`{"title":"a","other":"\u0000"}`;
    assert.equal(
      (await send("POST /notes", { headers: { "content-type": "application/json" }, body })).status,
      201,
    );
  });

  it("is refused in a path parameter and in a declared query key", async () => {
    const { send } = await serve(routes);
    assert.equal((await send("GET /notes/a%00b")).status, 400);
    assert.equal((await send("GET /notes?q=%00")).status, 400);
    assert.equal((await send("GET /notes?other=%00")).status, 200);
    assert.equal((await send("GET /notes/a%2500b")).status, 200);
  });

  it("is found in keys, in arrays and at any depth", () => {
    assert.equal(findUnstorable({ a: [{ "b c": "\0" }] })?.path, '$.a[0]["b c"]');
    assert.equal(findUnstorable({ a: { "\ud800": 1 } })?.path, '$.a["\\ud800"]');
    assert.equal(findUnstorable({ a: new Date(), b: new Uint8Array(2), c: null, d: 1n }), undefined);
    let deep: unknown = "\0";
    for (let level = 0; level < 200_000; level++) deep = [deep];
    assert.equal(findUnstorable(deep)?.path, `$${"[0]".repeat(333)}…`);
  });
});
