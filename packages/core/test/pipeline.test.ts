import assert from "node:assert/strict";
import { describe, it } from "node:test";

import type { LifecycleTrace } from "@kit/core";
import { objectOf, paramsOf, queryOf, responseOf, route } from "./support/compiled.ts";
import { errorOf, json, serve, type TestRoute } from "./support/serve.ts";

const note = responseOf("Note", { id: "string", title: "string?" });
const getNote = route("GET /notes/:id", { params: paramsOf("NoteId", { id: "string" }), response: note });
const listNotes = route("GET /notes", {
  query: queryOf("Paging", { page: "number?" }),
  response: responseOf("List", { page: "number?" }),
});
const createNote = route("POST /notes", {
  body: objectOf("CreateNote", { title: "string" }),
  response: note,
});
const deleteNote = route("DELETE /notes/:id", { params: paramsOf("NoteId", { id: "string" }) });

const routes: readonly TestRoute[] = [
  [getNote, ({ params }) => ({ id: params["id"], title: "A", secret: "never sent" })],
  [listNotes, async ({ query }) => query],
  [createNote, ({ body }) => ({ id: "1", ...body })],
  [deleteNote, () => undefined],
];

describe("a valid request", () => {
  it("gives the handler decoded params, query and body, and serializes only the declared properties of the response", async () => {
    const { send } = await serve(routes);
    assert.deepEqual(await send("GET /notes/a%20b?x=1"), {
      status: 200,
      contentType: "application/json",
      text: '{"id":"a b","title":"A"}',
      headers: [],
    });
    assert.equal((await send("GET /notes?page=2")).text, '{"page":2}');
    const created = await send("POST /notes", json({ title: "T", authorId: "ignored", __proto__: 1 }));
    assert.equal(created.status, 201);
    assert.equal(created.text, '{"id":"1","title":"T"}');
  });

  it("gives the handler an empty object as its query if the client sends no query", async () => {
    const { send } = await serve(routes);
    assert.equal((await send("GET /notes")).text, "{}");
    assert.equal((await send("GET /notes?")).text, "{}");
  });

  it("results in 204 without a body if the contract has no response", async () => {
    const { send } = await serve(routes);
    assert.deepEqual(await send("DELETE /notes/1"), {
      status: 204,
      contentType: null,
      text: null,
      headers: [],
    });
  });

  it("results in the status that ctx.status sets, without a body if that status allows none", async () => {
    const { send } = await serve([
      [getNote, ({ params, ctx }) => ctx.status(params["id"] === "none" ? 304 : 203) && { id: "1" }],
    ]);
    assert.equal((await send("GET /notes/1")).status, 203);
    assert.deepEqual(await send("GET /notes/none"), {
      status: 304,
      contentType: null,
      text: null,
      headers: [],
    });
  });

  it("runs the GET route for HEAD, and passes the response body to the adapter", async () => {
    const { send } = await serve([[getNote, ({ ctx }) => ({ id: ctx.method })]]);
    assert.equal((await send("HEAD /notes/1")).text, '{"id":"HEAD"}');
  });

  it("may have a body that the contract does not declare, unless the method is GET or HEAD", async () => {
    const { send } = await serve(routes);
    assert.equal((await send("DELETE /notes/1", { body: "{nonsense" })).status, 204);
    assert.equal((await send("GET /notes/1", { body: "" })).status, 200);
  });

  it("runs the route that the adapter matched if the adapter has its own matcher", async () => {
    const { send } = await serve(routes);
    const match = { kind: "route", route: 0, params: ["given"] } as const;
    assert.equal((await send("GET /elsewhere", { match })).text, '{"id":"given","title":"A"}');
  });

  it("waits for any thenable that the handler returns, such as a query builder", async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- imitates a query builder
    const builder = { then: (resolve: (value: unknown) => void) => resolve({ id: "built" }) };
    const { send } = await serve([[getNote, () => builder]]);
    assert.equal((await send("GET /notes/1")).text, '{"id":"built"}');
  });
});

describe("the content type of a JSON body", () => {
  const accepted = [
    "application/json",
    "Application/JSON; Charset=UTF-8",
    'application/json;charset="utf-8"',
    "application/json; profile=x",
    "application/merge-patch+json",
  ];
  const refused = [
    "text/plain",
    "application/jsonp",
    "application/json; charset=latin1",
    "application/json, text/plain",
    "",
  ];

  it("may be application/json or another JSON type, with UTF-8 as its charset", async () => {
    const { send } = await serve(routes);
    for (const type of accepted) {
      const answer = await send("POST /notes", { headers: { "content-type": type }, body: '{"title":"T"}' });
      assert.equal(answer.status, 201, type);
    }
  });

  it("causes a 415 response if it is missing or not JSON in UTF-8", async () => {
    const { send } = await serve(routes);
    const missing = await send("POST /notes", { body: "{}" });
    assert.equal(missing.status, 415);
    assert.equal(errorOf(missing)["code"], "UNSUPPORTED_MEDIA_TYPE");
    for (const type of refused) {
      const answer = await send("POST /notes", { headers: { "content-type": type }, body: "{}" });
      assert.equal(answer.status, 415, type);
    }
  });

  it("does not matter if the body is compressed: the response is 415", async () => {
    const { send } = await serve(routes);
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    assert.equal((await send("POST /notes", { headers, body: new Uint8Array([0x1f, 0x8b, 8]) })).status, 415);
  });
});

describe("an invalid request", () => {
  it("is refused with 400 and every invalid field of its first invalid part (params, query or body)", async () => {
    const both = route("PUT /notes/:id", {
      params: paramsOf("NoteId", { id: "number" }),
      query: queryOf("Paging", { page: "number" }),
      body: objectOf("Two", { title: "string", size: "number" }),
    });
    const { send } = await serve([[both, () => assert.fail("the handler ran")]]);
    const body = errorOf(await send("PUT /notes/1?page=2", json({ size: "big" })));
    assert.equal(body["code"], "VALIDATION_ERROR");
    assert.equal(body["message"], "Invalid body: $.title: expected string, received nothing (and 1 more)");
    assert.deepEqual(body["details"], {
      fields: [
        { path: "$.title", expected: "string", value: null, rule: "required" },
        { path: "$.size", expected: "number", value: "big", rule: "type", limit: "number" },
      ],
    });
    assert.match(
      String(errorOf(await send("PUT /notes/x?page=y", json({})))["message"]),
      /^Invalid path parameters: /,
    );
    assert.match(
      String(errorOf(await send("PUT /notes/1?page=y", json({})))["message"]),
      /^Invalid query: \$\.page/,
    );
  });

  it("is refused with the path $ and the position of the error if its body is not JSON", async () => {
    const { send } = await serve(routes);
    const answer = await send("POST /notes", json('{\n  "title": nope}'));
    assert.equal(answer.status, 400);
    assert.deepEqual(errorOf(answer)["details"], {
      fields: [{ path: "$", expected: "JSON: a value at position 13 (line 2, column 12)", rule: "json" }],
    });
  });

  it("is refused with the path $ if its body is empty or not UTF-8", async () => {
    const { send } = await serve(routes);
    const missing = { path: "$", expected: "JSON", value: null, rule: "required" };
    const garbled = { path: "$", expected: "JSON in UTF-8", rule: "encoding", limit: "utf-8" };
    for (const [request, field] of [
      [{}, missing],
      [json(""), missing],
      [{ ...json(""), body: new Uint8Array([0x22, 0xff, 0x22]) }, garbled],
    ] as const) {
      const answer = await send("POST /notes", request);
      assert.equal(answer.status, 400);
      assert.deepEqual(errorOf(answer)["details"], { fields: [field] });
    }
  });

  it("is refused with 413 if its body is too large, whatever its path", async () => {
    const { send } = await serve(routes, { limits: { bodyBytes: 10 } });
    for (const line of ["POST /notes", "GET /nowhere"]) {
      const answer = await send(line, json({ title: "too long" }));
      assert.equal(answer.status, 413);
      assert.equal(errorOf(answer)["code"], "PAYLOAD_TOO_LARGE");
    }
    assert.equal((await send("POST /notes", json("12345678"))).status, 400);
  });
});

describe("a request without a matching route", () => {
  it("receives an error body with 404, with 405 and the header Allow, or with 400 for an invalid percent-escape", async () => {
    const { send } = await serve(routes);
    const missing = await send("GET /nowhere");
    assert.equal(missing.status, 404);
    assert.equal(missing.contentType, "application/json");
    assert.equal(errorOf(missing)["code"], "NOT_FOUND");
    assert.match(String(errorOf(missing)["traceId"]), /^[0-9a-f]{32}$/);
    const method = await send("PATCH /notes");
    assert.equal(method.status, 405);
    assert.equal(errorOf(method)["code"], "METHOD_NOT_ALLOWED");
    assert.deepEqual(method.headers, ["allow", "GET, HEAD, POST"]);
    const path = await send("GET /notes/%E0%A4%A");
    assert.equal(path.status, 400);
    assert.equal(errorOf(path)["code"], "VALIDATION_ERROR");
  });
});

describe("the OpenAPI document", () => {
  it("is served at /openapi.json except in production", async () => {
    for (const env of ["development", "test"] as const) {
      const { send } = await serve(routes, { env });
      assert.equal((await send("GET /openapi.json")).text, '{"openapi":"3.1.0"}');
      assert.equal((await send("HEAD /openapi.json/?a")).status, 200);
      assert.deepEqual((await send("POST /openapi.json")).headers, ["allow", "GET, HEAD"]);
      assert.equal((await send("GET /openapi.jsonx")).status, 404);
    }
    const { send } = await serve(routes, { env: "production" });
    assert.equal((await send("GET /openapi.json")).status, 404);
  });

  it("takes precedence over a path parameter, but not over a route with the path /openapi.json", async () => {
    const slug = route("GET /:slug", { params: paramsOf("Slug", { slug: "string" }), response: note });
    const beside = await serve([[slug, () => ({ id: "slug" })]], { env: "development" });
    assert.equal((await beside.send("GET /openapi.json")).text, '{"openapi":"3.1.0"}');
    const own = route("GET /openapi.json", { response: note });
    const instead = await serve([[own, () => ({ id: "own" })]], { env: "development" });
    assert.equal((await instead.send("GET /openapi.json")).text, '{"id":"own"}');
  });
});

const phasesOf = ({ lifecycle }: LifecycleTrace): string[] =>
  lifecycle.map(({ phase, result, status }) =>
    [phase, result, status].filter((part) => part !== undefined).join(" "),
  );

describe("the phases of a request", () => {
  const middleware = ["late", "early"].map((name) => ({
    name,
    priority: name === "late" ? 20 : -1,
    middleware: () => undefined,
  }));
  const chained = { ...createNote, middleware: ["early", "late"] };

  it("are recorded in order, with the results of validation and the status", async () => {
    const traces: LifecycleTrace[] = [];
    const plugins = [{ name: "watch", onLifecycle: (trace: LifecycleTrace) => traces.push(trace) }];
    const { send } = await serve([[chained, async ({ body }) => ({ id: "1", ...body })]], {
      middleware,
      plugins,
    });
    await send("POST /notes", json({ title: "T" }));
    await send("POST /notes", json({}));
    await send("GET /nowhere");
    const [passed, failed, missing] = traces;
    assert.deepEqual(phasesOf(passed!), [
      "received",
      "server:normalize",
      "middleware:early",
      "middleware:late",
      "validation:params pass",
      "validation:query pass",
      "validation:body pass",
      "handler",
      "serialization",
      "server:write",
      "response 201",
    ]);
    assert.deepEqual(phasesOf(failed!).slice(-3), ["validation:body fail", "server:write", "response 400"]);
    assert.deepEqual(phasesOf(missing!), ["received", "server:normalize", "server:write", "response 404"]);
    assert.equal(passed!.route, "POST /notes");
    assert.equal(missing!.route, null);
    assert.equal(passed!.server, "memory");
    assert.ok(passed!.totalMs >= 0 && passed!.lifecycle.every(({ durationMs }) => durationMs >= 0));
  });
});
