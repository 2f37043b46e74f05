// Tests the endpoint that sends a request again, including attacks on its port.

import assert from "node:assert/strict";
import { once } from "node:events";
import { request as requestTls } from "node:https";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import { after, before, describe, it } from "node:test";

import { sendRequest, type Answer, type RequestOptions, errorOf } from "./support/sidecar.ts";
import { Authority } from "../../server-node/test/certificates.ts";
import { type RealApp, startReal } from "./support/real-app.ts";

let app: RealApp;
let token: string;
let requestId: string;
before(async () => {
  app = await startReal();
  ({ replayToken: token } = await app.ok<{ replayToken: string }>("/_debug/dashboard"));
  requestId = await app.post({ name: "ada" }, { "x-tenant": "blue" });
});
after(() => app.close());

/** Returns the headers that the dashboard's own page sends. */
function own(): Record<string, string> {
  return {
    host: `localhost:${app.sidecarPort}`,
    origin: `http://localhost:${app.sidecarPort}`,
    "sec-fetch-site": "same-origin",
    "content-type": "application/json",
    "x-debug-token": token,
  };
}

function replay(question: unknown, headers: RequestOptions["headers"] = own(), of = app): Promise<Answer> {
  const body = typeof question === "string" ? question : JSON.stringify(question);
  return sendRequest(of.sidecarPort, "/_debug/replay", { method: "POST", headers: headers!, body });
}

/** Sends a request to an application with TLS, and then once more from the dashboard. */
async function replayWithTls(requiresCertificates: boolean, name = "ada"): Promise<Answer> {
  using authority = new Authority();
  const tls = {
    ...authority.signFiles(2, "app.example"),
    ...(requiresCertificates && { clientCa: authority.path("ca.pem") }),
  };
  const secure = await startReal({}, { tls });
  try {
    const first = requestTls({
      port: secure.port,
      host: "127.0.0.1",
      path: "/things",
      method: "POST",
      headers: { "content-type": "application/json" },
      ca: authority.certificate,
      ...(requiresCertificates && authority.sign(2, "client.example")),
      servername: "app.example",
      agent: false,
    });
    first.end(JSON.stringify({ name }));
    const [response] = (await once(first, "response")) as [NodeJS.ReadableStream];
    await finished(response.resume()).catch(() => undefined);
    const { requests } = await secure.ok<{ requests: { requestId: string }[] }>("/_debug/requests?limit=1");
    const dashboard = await secure.ok<{ replayToken: string }>("/_debug/dashboard");
    const headers = {
      ...own(),
      host: `localhost:${secure.sidecarPort}`,
      origin: `http://localhost:${secure.sidecarPort}`,
      "x-debug-token": dashboard.replayToken,
    };
    return await replay({ requestId: requests[0]!.requestId }, headers, secure);
  } finally {
    await secure.close();
  }
}

describe("a request that is sent again", () => {
  it("has the content of the original request, and is recorded as a new request", async () => {
    const answer = await replay({ requestId });
    assert.equal(answer.status, 200, answer.text);
    const { status, body, headers, traceId, requestId: again, durationMs, isCut } = answer.body;
    assert.deepEqual([status, body, isCut], [201, '{"name":"ada"}', false]);
    assert.ok((headers as string[][]).some(([name]) => name!.toLowerCase() === "content-type"));
    assert.ok(Number(durationMs) > 0);
    const [first, second] = app.received.slice(-2);
    assert.deepEqual(second!.body, first!.body);
    assert.equal(second!.headers["x-tenant"], "blue");
    assert.notEqual(again, requestId);
    const { request } = await app.ok<{ request: { traceId: string; target: string; status: number } }>(
      `/_debug/requests/${String(again)}`,
    );
    assert.deepEqual([request.traceId, request.target, request.status], [traceId, "/things", 201]);
  });

  it("is sent with TLS to an application with TLS", async () => {
    const answer = await replayWithTls(false);
    assert.deepEqual([answer.status, answer.body["status"]], [200, 201], answer.text);
  });

  it("is refused with a reason by an application that requires certificates of clients", async () => {
    const answer = await replayWithTls(true);
    assert.deepEqual([answer.status, errorOf(answer).code], [502, "NO_ANSWER"], answer.text);
    assert.match(
      errorOf(answer).message,
      /did not respond: [\w ]+\. If the application requires certificates of clients, it refuses the dashboard/,
    );
  });

  it("has an error without certificates if the body of the response breaks off", async () => {
    const answer = await replayWithTls(false, "broken");
    assert.deepEqual([answer.status, errorOf(answer).code], [502, "NO_ANSWER"], answer.text);
    assert.equal(errorOf(answer).message, "the application did not respond: aborted");
  });

  it("may be changed before it is sent", async () => {
    const headers = { "content-type": "application/json", "x-tenant": "green", "content-length": "1" };
    const answer = await replay({ requestId, headers, body: '{"name":"eve"}', target: "/things?page=2" });
    assert.equal(answer.body["body"], '{"name":"eve"}', answer.text);
    assert.equal(app.received.at(-1)!.headers["x-tenant"], "green");
    const wrong = await replay({ requestId, body: '{"name":1}' });
    assert.equal(wrong.body["status"], 400);
    assert.match(String(wrong.body["body"]), /VALIDATION_ERROR/);
  });

  it("is not sent with hidden values until the user has replaced them", async () => {
    const count = app.received.length;
    const withSecret = await app.post({ name: "a" }, { authorization: "Bearer secret" });
    const withPin = await app.post({ name: "a", pin: "secret-pin" });
    const withToken = await app.post({ name: "a" }, {}, "?token=secret");
    for (const [id, missing] of [
      [withSecret, /^authorization: the recorded value is hidden/],
      [withPin, /^the body: the recorded value is hidden/],
      [withToken, /^the target: the recorded value is hidden/],
    ] as const) {
      const answer = await replay({ requestId: id });
      assert.equal(answer.status, 409, answer.text);
      assert.equal(errorOf(answer).code, "REDACTED");
      assert.match(errorOf(answer).message, missing);
      assert.doesNotMatch(answer.text, /secret/);
    }
    assert.equal(app.received.length, count + 3);
    // The placeholder that the page shows is not a replacement.
    const replayed = await replay({ requestId: withSecret, headers: { authorization: "[redacted]" } });
    assert.equal(replayed.status, 409);
    assert.equal((await replay({ requestId: withPin, body: '{"name":"a","pin":"[redacted]"}' })).status, 409);
    const headers = { "content-type": "application/json", authorization: "Bearer other" };
    const filled = await replay({ requestId: withSecret, headers });
    assert.equal(filled.body["status"], 201, filled.text);
    assert.equal(app.received.at(-1)!.headers["authorization"], "Bearer other");
  });

  it("is refused if the original body was too long to be recorded", async () => {
    const id = await app.post({ name: "x".repeat(10_000) });
    const answer = await replay({ requestId: id });
    assert.deepEqual([answer.status, errorOf(answer).code], [409, "REDACTED"]);
  });
});

describe("the endpoint that sends a request again", () => {
  it("requires the secret of the dashboard's page", async () => {
    await refused("none", without("x-debug-token"));
    for (const wrong of ["", "x", token.slice(1), `${token}x`, token.toUpperCase(), "k".repeat(5_000)])
      await refused(`${wrong.length} characters`, { ...own(), "x-debug-token": wrong });
    await refused("two", { ...own(), "x-debug-token": [token, token] as unknown as string });
  });

  it("requires the origin of the dashboard's page", async () => {
    await refused("none", without("origin"));
    for (const origin of ["null", "http://attacker.example", "https://localhost", "http://localhost:1"])
      await refused(origin, { ...own(), origin });
    for (const site of ["cross-site", "same-site", "none"])
      await refused(site, { ...own(), "sec-fetch-site": site });
    await refused("a form", { ...own(), "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" });
    await refused("a name that leads here", {
      ...own(),
      host: "attacker.example",
      origin: "http://attacker.example",
    });
  });

  it("requires a JSON body, which no form can send", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "",
    ])
      await refused(type, { ...own(), "content-type": type }, 415);
  });

  it("requires the method POST", async () => {
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const answer = await sendRequest(app.sidecarPort, "/_debug/replay", {
        method,
        headers: own(),
        body: "{}",
      });
      assert.equal(answer.status, 405, method);
    }
    assert.equal((await sendRequest(app.sidecarPort, "/_debug/replay", { headers: own() })).status, 404);
    const elsewhere = await sendRequest(app.sidecarPort, "/_debug/replay?x=1", {
      method: "POST",
      headers: own(),
      body: "{}",
    });
    assert.equal(elsewhere.status, 405);
    // No CORS header permits another site to read the secret.
    const { headers } = await sendRequest(app.sidecarPort, "/_debug/dashboard");
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith("access-control")),
      [],
    );
  });
});

describe("the body that the dashboard sends", () => {
  const cases: readonly (readonly [what: string, question: unknown, status: number, message: RegExp])[] = [
    ["no JSON", "{", 400, /must be JSON/],
    ["a list", [], 400, /must be an object/],
    ["no id", {}, 400, /`requestId` must be a string/],
    ["an unknown id", { requestId: "none" }, 404, /no request none/],
    ["an unknown property", { requestId: "x", url: "http://x" }, 400, /no property `url`/],
    [
      "another server",
      { requestId: "x", target: "http://attacker.example/" },
      400,
      /`target` must be a path/,
    ],
    ["a target with a line end", { requestId: "x", target: "/a\r\nHost: x" }, 400, /`target` must be a path/],
    ["a target with a space", { requestId: "x", target: "/a b" }, 400, /`target` must be a path/],
    [
      "headers that are no texts",
      { requestId: "x", headers: { a: 1 } },
      400,
      /`headers` must be an object of strings/,
    ],
    ["a body that is no text", { requestId: "x", body: {} }, 400, /`body` must be a string/],
  ];
  for (const [what, question, status, message] of cases) {
    it(`is refused: ${what}`, async () => {
      const answer = await replay(question);
      assert.equal(answer.status, status, answer.text);
      assert.match(errorOf(answer).message, message);
    });
  }

  it("cannot inject a header, and cannot select another server", async () => {
    const count = app.received.length;
    const smuggled = await replay({ requestId, headers: { "x-a": "b\r\nx-c: d" } });
    assert.deepEqual([smuggled.status, errorOf(smuggled).code], [400, "VALIDATION_ERROR"]);
    const named = await replay({ requestId, headers: { "bad name": "x" } });
    assert.match(errorOf(named).message, /^the request cannot be sent: .*bad name/);
    const answer = await replay({ requestId, target: "//attacker.example/things" });
    assert.equal(answer.body["status"], 404, answer.text);
    assert.equal(app.received.length, count);
  });

  it("has a maximum length", async () => {
    const answer = await replay({ requestId, body: "x".repeat(300 * 1024) });
    assert.deepEqual([answer.status, errorOf(answer).code], [413, "PAYLOAD_TOO_LARGE"]);
    // A body that never ends is refused too.
    const socket = connect(app.sidecarPort, "127.0.0.1");
    const lines = Object.entries(own()).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /_debug/replay HTTP/1.1\r\n${lines.join("")}transfer-encoding: chunked\r\n\r\n`);
    socket.write(`${(400 * 1024).toString(16)}\r\n${"x".repeat(400 * 1024)}`);
    assert.match(await text(socket), /^HTTP\/1\.1 413 /);
  });
});

describe("sending a request again is refused", () => {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const own4 = addresses.find(({ internal, family }) => !internal && family === "IPv4")?.address;

  it("for clients on other machines if the application listens only on loopback", async (t) => {
    if (own4 === undefined) return t.skip("this machine has no address besides its own loopback");
    for (const [host, status] of [
      ["127.0.0.1", 403],
      ["0.0.0.0", 200],
    ] as const) {
      const apiKey = "a-key-of-the-replay-test";
      const open = await startReal({ security: { hostname: "0.0.0.0", apiKey } }, { host });
      const id = await open.post({ name: "a" });
      const { replayToken } = await open.ok<{ replayToken: string }>("/_debug/dashboard");
      // A client that connects to this address also has this address as its source.
      const origin: string = `http://${own4}:${open.sidecarPort}`;
      const answer: Response = await fetch(`${origin}/_debug/replay`, {
        method: "POST",
        headers: {
          origin,
          "content-type": "application/json",
          "x-debug-token": replayToken,
          "x-debug-key": apiKey,
        },
        body: JSON.stringify({ requestId: id }),
      });
      assert.equal(answer.status, status, await answer.text());
      assert.equal(open.received.length, status === 200 ? 2 : 1);
      await open.close();
    }
  });

  it("for every client in production", async () => {
    const production = await startReal({ mode: "production", apiKey: "k", security: {} });
    const id = "x";
    const key = { "x-debug-key": "k" };
    const info = await sendRequest(production.sidecarPort, "/_debug/dashboard", { headers: key });
    assert.deepEqual(
      [info.body["mode"], info.body["replayToken"], info.body["projectRoot"]],
      ["production", null, null],
    );
    const origin = `http://localhost:${production.sidecarPort}`;
    for (const guess of ["", "null", "undefined", token]) {
      const headers = { ...own(), ...key, host: origin.slice(7), origin, "x-debug-token": guess };
      const answer = await sendRequest(production.sidecarPort, "/_debug/replay", {
        method: "POST",
        headers,
        body: JSON.stringify({ requestId: id }),
      });
      assert.equal(answer.status, 405, answer.text);
      assert.equal(answer.headers["allow"], "GET, HEAD");
    }
    assert.equal(production.received.length, 0);
    await production.close();
  });
});

/** Checks that the sidecar refuses to send a request again, and that the application received none. */
async function refused(what: string, headers: RequestOptions["headers"], status = 403): Promise<void> {
  const count = app.received.length;
  const answer = await replay({ requestId }, headers);
  assert.equal(answer.status, status, `${what}: ${answer.text}`);
  assert.equal(app.received.length, count, what);
}

function without(name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(own()).filter(([given]) => given !== name));
}
