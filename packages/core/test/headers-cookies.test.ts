import assert from "node:assert/strict";
import { describe, it } from "node:test";

import type { LifecycleTrace } from "@kit/core";
import { cookiesOf, headersOf, objectOf, paramsOf, queryOf, responseOf, route } from "./support/compiled.ts";
import { errorOf, json, serve, type TestRoute } from "./support/serve.ts";

const seen = responseOf("Seen", { tenant: "string?", limit: "number?", sid: "string?" });
const post = route("POST /orders/:id", {
  params: paramsOf("OrderId", { id: "number" }),
  query: queryOf("OrderQuery", { page: "number?" }),
  headers: headersOf("OrderHeaders", { "x-tenant": "string", "x-limit": "number?" }),
  cookies: cookiesOf("OrderCookies", { sid: "string", age: "number?" }),
  body: objectOf("NewOrder", { item: "string" }),
  response: seen,
});
const echo: TestRoute = [
  post,
  ({ headers, cookies }) => ({
    tenant: headers["x-tenant"],
    limit: headers["x-limit"],
    sid: cookies["sid"],
  }),
];
const body = json({ item: "a" });
const request = {
  ...body,
  headers: { ...body.headers, "x-tenant": "t", "x-limit": "7", cookie: "sid=s1; age=3" },
};
const without = (name: string): typeof request => ({
  ...request,
  headers: Object.fromEntries(Object.entries(request.headers).filter(([key]) => key !== name)) as never,
});

describe("a contract with headers and cookies", () => {
  it("gives the handler the declared headers and cookies, converted to their types", async () => {
    const { send } = await serve([echo]);
    const answer = await send("POST /orders/1", request);
    assert.deepEqual([answer.status, answer.text], [201, '{"tenant":"t","limit":7,"sid":"s1"}']);
  });

  it("refuses a missing header, and the error names the header and its path", async () => {
    const { send } = await serve([echo]);
    const error = errorOf(await send("POST /orders/1", without("x-tenant")));
    assert.equal(error["message"], "Invalid headers: $.x-tenant: expected string, received nothing");
    assert.deepEqual(error["details"], {
      fields: [{ path: "$.x-tenant", expected: "string", value: null, rule: "required" }],
    });
  });

  it("validates params, query, headers, cookies and body in this order, and reports the first slot that is invalid", async () => {
    const { send } = await serve([echo]);
    const bad = {
      headers: { "content-type": "application/json", "x-limit": "x", cookie: "age=x" },
      body: "{}",
    };
    const message = async (line: string, changed = bad): Promise<string> =>
      String(errorOf(await send(line, changed))["message"]).split(":")[0]!;
    assert.equal(await message("POST /orders/x?page=x"), "Invalid path parameters");
    assert.equal(await message("POST /orders/1?page=x"), "Invalid query");
    assert.equal(await message("POST /orders/1"), "Invalid headers");
    const headers = { ...bad.headers, "x-tenant": "t", "x-limit": "1" };
    assert.equal(await message("POST /orders/1", { ...bad, headers }), "Invalid cookies");
    const cookies = { ...headers, cookie: "sid=1" };
    assert.equal(await message("POST /orders/1", { ...bad, headers: cookies }), "Invalid body");
  });

  it("never shows the value of a cookie or of the header authorization", async () => {
    const secret = route("GET /secret", {
      headers: headersOf("SecretHeaders", { authorization: "number", "x-limit": "number" }),
      cookies: cookiesOf("SecretCookies", { sid: "number" }),
      response: seen,
    });
    const { send, log } = await serve([[secret, () => ({})]], { env: "development", logLevel: "trace" });
    const ofHeaders = await send("GET /secret", {
      headers: { authorization: "hunter2", "x-limit": "shown" },
    });
    assert.deepEqual(errorOf(ofHeaders)["details"], {
      fields: [
        { path: "$.authorization", expected: "number", value: "[redacted]", rule: "type", limit: "number" },
        { path: "$.x-limit", expected: "number", value: "shown", rule: "type", limit: "number" },
      ],
    });
    const headers = { authorization: "1", "x-limit": "1", cookie: "sid=hunter2" };
    const ofCookies = await send("GET /secret", { headers });
    assert.match(ofCookies.text!, /"Invalid cookies: \$\.sid: expected number, received string"/);
    for (const text of [ofHeaders.text!, ofCookies.text!, JSON.stringify(log)])
      assert.doesNotMatch(text, /hunter2/);
  });

  it("refuses a cookie with an escape for U+0000, without its value", async () => {
    const { send } = await serve([echo]);
    const headers = { ...request.headers, cookie: "sid=a%00b" };
    const error = errorOf(await send("POST /orders/1", { ...request, headers }));
    assert.deepEqual(error["details"], {
      fields: [
        { path: "$.sid", expected: "string without U+0000 and unpaired surrogates", rule: "characters" },
      ],
    });
  });

  it("adds a phase for headers and cookies only to routes that declare them", async () => {
    const traces: LifecycleTrace[] = [];
    const plain = route("GET /plain", { response: seen });
    const { send } = await serve([echo, [plain, () => ({})]], {
      plugins: [{ name: "traces", onLifecycle: (trace) => void traces.push(trace) }],
    });
    await send("POST /orders/1", request);
    await send("POST /orders/1", without("cookie"));
    await send("GET /plain");
    const phases = traces.map(({ lifecycle }) =>
      lifecycle.flatMap(({ phase, result }) => (result === undefined ? [] : [`${phase} ${result}`])),
    );
    assert.deepEqual(phases, [
      [
        "validation:params pass",
        "validation:query pass",
        "validation:headers pass",
        "validation:cookies pass",
        "validation:body pass",
      ],
      [
        "validation:params pass",
        "validation:query pass",
        "validation:headers pass",
        "validation:cookies fail",
      ],
      ["validation:params pass", "validation:query pass", "validation:body pass"],
    ]);
  });
});
