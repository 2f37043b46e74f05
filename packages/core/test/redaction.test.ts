// Checks that hidden values stay hidden in all records of a request: log entries, request records, spans, error
// descriptions.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import type { ErrorRecord, Plugin, PluginHost, RequestRecord } from "@kit/core";

import { compileRedactor } from "../src/logging/redact.ts";
import { growth } from "./support/growth.ts";
import { compiled, objectOf, paramsOf, queryOf, responseOf, route } from "./support/compiled.ts";
import { errorOf, json, serve, type TestRoute } from "./support/serve.ts";

const account = responseOf("Account", { id: "string" });
const routes: readonly TestRoute[] = [
  [
    route("POST /accounts", {
      body: objectOf("NewAccount", { name: "string", password: "string?", pin: "string?" }),
      query: queryOf("Query", { token: "string?" }),
      response: account,
    }),
    ({ body, query, ctx }) => {
      ctx.span!.setAttribute("account.password", String(body["password"]));
      ctx.span!.setAttribute("seen", `$.password: expected string, received "${String(body["password"])}"`);
      ctx.log.info("An account", { body, query, headers: ctx.headers });
      ctx.log.info(`$.account.password: expected string, received "${String(body["password"])}"`);
      return { id: "1" };
    },
  ],
  [
    route("GET /accounts/:token", { params: paramsOf("Token", { token: "number" }), response: account }),
    ({ params, ctx }) => {
      const failure = Object.assign(new Error("It failed"), { request: { password: "secret-property" } });
      const cause = new Error('Wrapped: $.password: expected string, received "secret-cause" (and 2 more)');
      ctx.log.warn("It will fail", { failure, params });
      throw Object.assign(new Error("It failed", { cause }), { password: "secret-own" });
    },
  ],
];

/** Returns everything that an application with secrets records about its requests. */
async function traces(env: "development" | "production"): Promise<{ text: string; answers: string[] }> {
  let host: PluginHost | undefined;
  const errors: ErrorRecord[] = [];
  const records: RequestRecord[] = [];
  const watch: Plugin = {
    name: "watch",
    observe: { spans: true, onResponse: (view) => void records.push(view.record()) },
    onStart: (given) => void (host = given),
    onError: (error, request) => void errors.push(host!.describeError(error, request)),
  };
  const { send, log } = await serve(routes, {
    env,
    compiled: { ...compiled(...routes.map(([made]) => made)), sensitive: ["pin"] },
    logging: { redact: ["*.password", "authorization", "token"] },
    logLevel: "trace",
    plugins: [watch],
  });
  const answers: string[] = [];
  const sendRequest = async (line: string, body: unknown): Promise<void> => {
    const { headers, body: text } = json(body);
    const authorization = "Bearer secret-header";
    const answer = await send(line, { headers: { ...headers, authorization }, ...(text && { body: text }) });
    answers.push(answer.text ?? "");
  };
  await sendRequest("POST /accounts?token=secret-query", {
    name: "n",
    password: "secret-body",
    pin: "secret-pin",
  });
  await sendRequest("POST /accounts?token=secret-query", {
    name: "n",
    password: 47_110_001,
    pin: 47_110_002,
  });
  await sendRequest("POST /accounts", { name: "n", pin: 47_110_003 });
  await sendRequest("POST /accounts", `{"name":"n","password":"secret-syntax"`);
  await sendRequest("GET /accounts/secret-param", "");
  await sendRequest("GET /accounts/47110004?token=secret-query", "");
  return { text: JSON.stringify({ log, errors, records }), answers };
}

describe("values of hidden fields", () => {
  for (const env of ["development", "production"] as const) {
    it(`do not appear in log entries, request records and error descriptions in ${env}`, async () => {
      const { text, answers } = await traces(env);
      // `doesNotMatch` would print the entire text.
      const found = /.{0,200}(secret-|4711000\d)/.exec(text);
      assert.equal(found, null, found?.[0]);
      // The rest of the message is logged.
      assert.match(text, /\$\.password: expected [^"]*, received \[redacted\]/);
      // A response shows a client its own values, unless the type marks them as sensitive.
      assert.equal(answers.length, 6);
    });
  }

  it("are removed from validation messages, whatever the path of the field is", () => {
    const redactor = compileRedactor(["user.*.key", "password"]);
    redactor.hideNames(["iban"]);
    const hidden = (path: string): boolean =>
      redactor
        .redactMessage(`Invalid: ${path}: expected string, received number 5`)
        .endsWith("received [redacted]");
    for (const path of [
      "$.password",
      "$.a.b.Password[0].c",
      '$["password"]',
      "$.user.x.key",
      "$.list[3].i_ban",
      "$.IBAN",
    ])
      assert.ok(hidden(path), path);
    for (const path of ["$.passwords", "$", "$.user.key", "$.name[0]"]) assert.ok(!hidden(path), path);
    const two = "$.a: expected x, received 1\n$.password: expected y, received 2 (and 3 more)\nat file";
    assert.equal(
      redactor.redactMessage(two),
      "$.a: expected x, received 1\n$.password: expected y, received [redacted] (and 3 more)\nat file",
    );
  });

  it("are removed from hostile messages in linear time", () => {
    const redactor = compileRedactor(["password", "user.*.key"]);
    const texts: Readonly<Record<string, (size: number) => string>> = {
      "dollar signs": (size) => `${"$".repeat(size)}, received `,
      "beginnings of a failure": (size) => `${"$: expected ".repeat(size / 12)}, received `,
      "whole failures on one line": (size) => "$.a: expected , received ".repeat(size / 25),
      "whole failures on many lines": (size) => "$.a: expected , received \n".repeat(size / 26),
      "beginnings of quoted keys": (size) => `$${'["'.repeat(size / 2)}: expected b, received c`,
      "array indexes": (size) => `$${"[0]".repeat(size / 3)}: expected b, received c`,
      "counts of more failures": (size) => `$.a: expected b, received ${" (and 1".repeat(size / 7)}`,
      "long paths": (size) => `${"$.a".repeat(size / 3)}: expected b, received c`,
      "long paths of user names": (size) => `$${".user".repeat(size / 5)}: expected b, received c`,
    };
    for (const [name, make] of Object.entries(texts)) {
      const power = growth(make, (text) => redactor.redactMessage(text), 16 * 1024);
      assert.ok(power < 1.5, `${name}: the time grows with the size to the power of ${power.toFixed(2)}`);
    }
  });

  it("are removed if a key from the client contains the words of a validation message", () => {
    const redactor = compileRedactor(["password"]);
    for (const key of ["a: expected b, received c", "$.a: expected ", ", received ", ": expected x"]) {
      const text = `Invalid body: $[${JSON.stringify(key)}].password: expected string, received number 4711`;
      assert.doesNotMatch(redactor.redactMessage(text), /4711/, key);
    }
  });

  it("appear in the response to the client that sent them, unless the type marks the field as sensitive", async () => {
    const { send } = await serve(routes, { logging: { redact: ["password"] } });
    const error = errorOf(await send("POST /accounts", json({ name: "n", password: 5 })));
    assert.deepEqual((error["details"] as { fields: object[] }).fields, [
      { path: "$.password", expected: "string", value: 5, rule: "type", limit: "string" },
    ]);
  });
});
