// Tests of calls over real HTTP.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { bodyFormats } from "../src/bodies/index.ts";
import { ApiError, createClient, isApiError, type Interceptor } from "../src/index.ts";
import { TestServer } from "./server.ts";

interface Contract<P, Q, B, R> {
  params: P;
  query: Q;
  body: B;
  response: R;
}

interface Routes {
  "GET /notes": Contract<
    void,
    { page?: number; tags?: string[]; since?: Date; done?: boolean },
    void,
    { n: number }
  >;
  "GET /notes/:id": Contract<{ id: string | number }, void, void, { id: string; at: Date }>;
  "POST /notes": Contract<void, void, { title: string; at?: Date; size?: bigint }, { id: string }>;
  "PUT /notes/:id": Contract<{ id: string }, void, { title?: string }, void>;
  "DELETE /notes/:id": Contract<{ id: string }, void, void, void>;
  "GET /files/*path": Contract<{ path: string }, void, void, unknown>;
}

/** Codecs of an API in which only the response of `GET /files/*path` may be anything. */
const anyFile = { types: {}, responses: {}, raw: ["GET /files/*path"] };

const ok = (value: unknown) => ({ body: JSON.stringify(value) });
const failure = (code: string, message: string, details?: unknown) =>
  JSON.stringify({ error: { code, message, details, traceId: "0af7651916cd43dd8448eb211c80319c" } });

test("a call writes path parameters and query values so that the server reads the same values", async () => {
  await using server = await TestServer.start(() => ok({}));
  const api = createClient<Routes>({ baseUrl: `${server.url}/` });
  await api.get("/notes/:id", { params: { id: "a/b ?#%ü" } });
  await api.get("/notes/:id", { params: { id: 7 } });
  await api.get("/files/*path", { params: { path: "a b/c?.txt" } });
  await api.get("/notes", {
    query: { page: 2, tags: ["a&b", "c"], since: new Date(0), done: false },
  });
  await api.get("/notes");
  assert.deepEqual(
    server.requests.map(({ url }) => url),
    [
      "/notes/a%2Fb%20%3F%23%25%C3%BC",
      "/notes/7",
      "/files/a%20b/c%3F.txt",
      "/notes?page=2&tags=a%26b&tags=c&since=1970-01-01T00%3A00%3A00.000Z&done=false",
      "/notes",
    ],
  );
  assert.equal(server.requests[0]?.headers.accept, "application/json");
  assert.equal(server.requests[0]?.headers["content-type"], undefined);
});

test("a call throws before it sends a request if a path parameter would lead to another route", async () => {
  await using server = await TestServer.start(() => ok({}));
  const api = createClient<Routes>({ baseUrl: server.url });
  for (const id of ["", ".", ".."]) {
    await assert.rejects(api.get("/notes/:id", { params: { id } }), {
      name: "TypeError",
      message: `the parameter id of /notes/:id cannot be ${JSON.stringify(id)}`,
    });
  }
  await assert.rejects(api.get("/files/*path", { params: { path: "a/../b" } }), TypeError);
  assert.equal(server.requests.length, 0);
});

test("a call sends its body as JSON, with dates, bigints and bytes as strings", async () => {
  await using server = await TestServer.start(() => ({ status: 201, ...ok({ id: "1" }) }));
  const api = createClient<Routes>({ baseUrl: server.url });
  const made = await api.post("/notes", { body: { title: "ü", at: new Date(0), size: 2n ** 64n } });
  assert.deepEqual(made, { id: "1" });
  const [request] = server.requests;
  assert.equal(request?.headers["content-type"], "application/json");
  assert.equal(request?.body, '{"title":"ü","at":"1970-01-01T00:00:00.000Z","size":"18446744073709551616"}');
});

test("a call returns undefined for a response without content", async () => {
  await using server = await TestServer.start(() => ({ status: 204 }));
  const api = createClient<Routes>({ baseUrl: server.url });
  assert.equal(await api.delete("/notes/:id", { params: { id: "1" } }), undefined);
});

test("a call of a client without codecs returns a response that is not JSON unchanged", async () => {
  await using server = await TestServer.start(() => ({
    headers: { "content-type": "text/csv" },
    body: "a,b",
  }));
  const api = createClient<Routes>({ baseUrl: server.url });
  const answer = await api.get("/files/*path", { params: { path: "a.csv" } });
  assert.equal(await (answer as Response).text(), "a,b");
});

test("a call of a client with codecs decodes the response, and refuses an HTML page in place of JSON", async () => {
  await using server = await TestServer.start(({ url }) =>
    url === "/page"
      ? { headers: { "content-type": "text/html" }, body: "<h1>Sign in</h1>" }
      : ok({ at: "1970-01-01T00:00:00.000Z" }),
  );
  const codecs = { types: { Dated: { at: "$date" } }, responses: { "GET /dated": "Dated" }, raw: [] };
  const api = createClient<Record<"GET /dated" | "GET /page", Contract<void, void, void, unknown>>>({
    baseUrl: server.url,
    codecs,
  });
  assert.deepEqual(await api.get("/dated"), { at: new Date(0) });
  const error = await failed(api.get("/page"));
  assert.equal(error.code, "UNEXPECTED_RESPONSE");
  assert.equal(error.status, 200);
  assert.equal(error.details, "<h1>Sign in</h1>");
});

test("a call throws an ApiError with the status, code, details and trace id of the error response", async () => {
  await using server = await TestServer.start(() => ({
    status: 404,
    headers: { "x-kit": "yes" },
    body: failure("NOTE_NOT_FOUND", "Note not found", { id: "7" }),
  }));
  const api = createClient<Routes>({ baseUrl: server.url });
  const error = await failed(api.get("/notes/:id", { params: { id: "7" } }));
  const { name, code, status, message, details, traceId } = error;
  assert.deepEqual(
    { name, code, status, message, details, traceId },
    {
      name: "ApiError",
      code: "NOTE_NOT_FOUND",
      status: 404,
      message: "Note not found",
      details: { id: "7" },
      traceId: "0af7651916cd43dd8448eb211c80319c",
    },
  );
  assert.equal(error.headers.get("x-kit"), "yes");
  assert.ok(isApiError(error, "NOTE_NOT_FOUND") && isApiError(error) && !isApiError(error, "OTHER"));

  const result = await api.get("/notes/:id", { params: { id: "7" } }).result();
  assert.ok(!result.ok && result.error.status === 404);
});

test("result() returns the data and the response of a successful call", async () => {
  await using server = await TestServer.start(() => ({ headers: { "x-kit": "yes" }, ...ok({ n: 1 }) }));
  const result = await createClient<Routes>({ baseUrl: server.url }).get("/notes").result();
  assert.ok(result.ok);
  assert.deepEqual(result.data, { n: 1 });
  assert.equal(result.response.headers.get("x-kit"), "yes");
});

test("a call throws UNEXPECTED_RESPONSE for an error response that is not in kit's format", async () => {
  for (const body of ["<h1>Bad gateway</h1>", "null", "{}", '{"error":"no"}', ""]) {
    await using server = await TestServer.start(() => ({ status: 500, body }));
    const error = await failed(createClient<Routes>({ baseUrl: server.url }).get("/notes"));
    assert.equal(error.code, "UNEXPECTED_RESPONSE");
    assert.equal(error.status, 500);
    assert.equal(error.details, body);
  }
});

test("a call with an idempotent method is retried until it succeeds", async () => {
  await using server = await TestServer.start((_request, count) =>
    count === 1 ? undefined : count === 2 ? { status: 503 } : ok({ n: count }),
  );
  const api = createClient<Routes>({ baseUrl: server.url, retry: { delayMs: 1 } });
  assert.deepEqual(await api.get("/notes"), { n: 3 });
});

test("a call throws the error of the last response if all retries fail", async () => {
  await using server = await TestServer.start(() => ({ status: 503, body: failure("BUSY", "Busy") }));
  const api = createClient<Routes>({ baseUrl: server.url, retry: { delayMs: 1, limit: 3 } });
  assert.equal((await failed(api.get("/notes"))).code, "BUSY");
  assert.equal(server.requests.length, 4);
  assert.equal((await failed(api.get("/notes", { retry: false }))).code, "BUSY");
  assert.equal(server.requests.length, 5);
});

test("a POST and a response with the status 500 are not retried", async () => {
  await using server = await TestServer.start(({ method }) =>
    method === "POST" ? undefined : { status: 500, body: failure("INTERNAL_SERVER_ERROR", "No") },
  );
  const api = createClient<Routes>({ baseUrl: server.url, retry: { delayMs: 1 } });
  const error = await failed(api.post("/notes", { body: { title: "a" } }));
  assert.equal(error.code, "NETWORK_ERROR");
  assert.equal(error.status, 0);
  assert.ok(error.cause instanceof Error);
  assert.equal(server.requests.length, 1);
  assert.equal((await failed(api.get("/notes"))).code, "INTERNAL_SERVER_ERROR");
  assert.equal(server.requests.length, 2);
});

test("a retry waits as long as Retry-After requests, and the call fails if that exceeds the maximum delay", async () => {
  await using server = await TestServer.start((_request, count) =>
    count === 1 ? { status: 429, headers: { "retry-after": "1" } } : ok({ n: count }),
  );
  const api = createClient<Routes>({ baseUrl: server.url, retry: { delayMs: 1 } });
  const began = performance.now();
  assert.deepEqual(await api.get("/notes"), { n: 2 });
  assert.ok(performance.now() - began >= 990);

  await using busy = await TestServer.start(() => ({
    status: 429,
    headers: { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() },
    body: failure("TOO_MANY", "Later"),
  }));
  assert.equal((await failed(createClient<Routes>({ baseUrl: busy.url }).get("/notes"))).code, "TOO_MANY");
  assert.equal(busy.requests.length, 1);
});

test("a connection that is lost inside of a body is a NETWORK_ERROR in every format and in an error response", async () => {
  const formats = [
    undefined,
    { format: "text", type: "text/plain" },
    { format: "bytes", type: "image/png" },
    { format: "oneof", type: "application/json", choices: [{ format: "json", type: "application/json" }] },
  ] as const;
  for (const status of [200, 404]) {
    await using server = await TestServer.start(() => ({ status, body: '{"n":', rest: "lost" }));
    for (const format of formats) {
      const responseFormats = format === undefined ? {} : { "GET /notes": format };
      const codecs = { types: {}, responses: {}, raw: [], responseFormats, bodyFormats };
      const api = createClient<Routes>({ baseUrl: server.url, codecs });
      const error = await failed(api.get("/notes"));
      assert.deepEqual([error.code, error.status], ["NETWORK_ERROR", 0], format?.format);
      assert.equal(
        error.message,
        `The connection was lost while the response of ${server.url}/notes was read`,
      );
      assert.ok(error.cause instanceof TypeError);
      assert.equal((await api.get("/notes").result()).ok, false);
    }
    // None of the calls was repeated.
    assert.equal(server.requests.length, 2 * formats.length);
  }
});

test("a call is retried if the connection of a response with the status 503 is lost", async () => {
  await using server = await TestServer.start((_, count) =>
    count === 1 ? { status: 503, body: "{", rest: "lost" } : ok({ n: count }),
  );
  // The connection is lost before the client ends the response.
  const interceptors: Interceptor[] = [
    async (request, next) => {
      const response = await next(request);
      await sleep(100);
      return response;
    },
  ];
  const api = createClient<Routes>({ baseUrl: server.url, interceptors, retry: { delayMs: 1 } });
  assert.deepEqual(await api.get("/notes"), { n: 2 });
});

test("a call fails with TIMEOUT or the reason of its signal if the rest of the body does not arrive", async () => {
  await using server = await TestServer.start(() => ({ body: '{"n":', rest: "late" }));
  const api = createClient<Routes>({ baseUrl: server.url });
  assert.equal((await failed(api.get("/notes", { timeoutMs: 100 }))).code, "TIMEOUT");
  const reason = new Error("the user went elsewhere");
  const controller = new AbortController();
  const call = api.get("/notes", { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 100);
  await assert.rejects(call, reason);
});

test("a call fails with TIMEOUT during a slow response and during the delay before a retry", async () => {
  await using slow = await TestServer.start(() => ({ afterMs: 5000, ...ok({}) }));
  const error = await failed(createClient<Routes>({ baseUrl: slow.url, timeoutMs: 50 }).get("/notes"));
  assert.equal(error.code, "TIMEOUT");
  assert.match(error.message, /^GET http:\S+\/notes took longer than 50 ms$/);

  await using busy = await TestServer.start(() => ({ status: 503 }));
  const waiting = createClient<Routes>({ baseUrl: busy.url, retry: { delayMs: 60_000, maxDelayMs: 60_000 } });
  assert.equal((await failed(waiting.get("/notes", { timeoutMs: 50 }))).code, "TIMEOUT");
});

test("a timeout and a delay that are longer than any timer do not end at once", async () => {
  await using slow = await TestServer.start(() => ({ afterMs: 100, ...ok({ n: 1 }) }));
  for (const timeoutMs of [Infinity, 2 ** 31]) {
    const api = createClient<Routes>({ baseUrl: slow.url, timeoutMs });
    assert.deepEqual(await api.get("/notes"), { n: 1 });
  }

  await using busy = await TestServer.start(() => ({
    status: 503,
    headers: { "retry-after": "9999999999" },
  }));
  const api = createClient<Routes>({ baseUrl: busy.url, retry: { maxDelayMs: Infinity } });
  await assert.rejects(api.get("/notes", { signal: AbortSignal.timeout(300) }), { name: "TimeoutError" });
  assert.equal(busy.requests.length, 1);
});

test("a cancelled call throws the reason of its signal", async () => {
  await using server = await TestServer.start(() => ({ afterMs: 5000, ...ok({}) }));
  const api = createClient<Routes>({ baseUrl: server.url });
  const reason = new Error("the user went elsewhere");
  const controller = new AbortController();
  const call = api.get("/notes", { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 20);
  await assert.rejects(call, reason);
  await assert.rejects(api.get("/notes", { signal: AbortSignal.abort(reason) }).result(), reason);
});

test("headers of a call replace the client's headers of the same name, and a headers function runs once per call", async () => {
  await using server = await TestServer.start(() => ok({}));
  const fixed = createClient<Routes>({ baseUrl: server.url, headers: { "x-a": "1", "x-b": "1" } });
  await fixed.get("/notes", { headers: { "X-B": "2" } });
  let token = 0;
  const made = createClient<Routes>({
    baseUrl: server.url,
    headers: () => Promise.resolve({ authorization: `Bearer ${++token}` }),
  });
  await made.get("/notes");
  await made.get("/notes");
  const [first, ...others] = server.requests;
  assert.deepEqual([first?.headers["x-a"], first?.headers["x-b"]], ["1", "2"]);
  assert.deepEqual(
    others.map(({ headers }) => headers.authorization),
    ["Bearer 1", "Bearer 2"],
  );
});

test("each attempt of a call runs all interceptors, the first one outermost", async () => {
  await using server = await TestServer.start((_request, count) =>
    count === 1 ? { status: 502 } : ok({ n: count }),
  );
  const order: string[] = [];
  const named =
    (name: string): Interceptor =>
    async (request, next) => {
      order.push(`${name} before`);
      request.headers.append("x-passed", name);
      const response = await next(request);
      order.push(`${name} ${response.status}`);
      return response;
    };
  const api = createClient<Routes>({
    baseUrl: server.url,
    retry: { delayMs: 1 },
    interceptors: [named("a"), named("b")],
  });
  assert.deepEqual(await api.get("/notes"), { n: 2 });
  assert.equal(order.join(", "), "a before, b before, b 502, a 502, a before, b before, b 200, a 200");
  assert.equal(server.requests[1]?.headers["x-passed"], "a, b");

  const cached = createClient<Routes>({
    baseUrl: "http://nowhere.invalid",
    interceptors: [() => Promise.resolve(Response.json({ n: 7 }))],
  });
  assert.deepEqual(await cached.get("/notes"), { n: 7 });
  const broken = createClient<Routes>({
    baseUrl: "http://nowhere.invalid",
    interceptors: [() => Promise.reject(new RangeError("mine"))],
  });
  await assert.rejects(broken.get("/notes").result(), RangeError);
});

test("a redirect is not followed, so no other server gets the headers, and a POST is no GET", async () => {
  await using other = await TestServer.start(() => ok({ id: "1" }));
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `${other.url}/notes`;
    // A gateway may send the redirect as JSON, which could be taken for the data of the call.
    const reply = { status, headers: { location }, body: '{"message":"Found"}' };
    await using server = await TestServer.start(() => reply);
    const options = { baseUrl: server.url, headers: { "x-api-key": "secret" } };
    const api = createClient<Routes>({ ...options, codecs: anyFile });
    const bare = createClient<Routes>(options);
    const file = { params: { path: "a" } };
    for (const call of [
      () => api.post("/notes", { body: { title: "a" } }),
      () => api.get("/files/*path", file).stream(),
      () => bare.post("/notes", { body: { title: "a" } }),
      () => bare.get("/files/*path", file),
    ]) {
      const error = await failed(call());
      assert.deepEqual([error.code, error.status], ["UNEXPECTED_RESPONSE", status]);
      assert.match(error.message, new RegExp(`the status ${status}, a redirect to ${location}$`));
    }
    const result = await bare.post("/notes", { body: { title: "a" } }).result();
    assert.ok(!result.ok);
    assert.match(result.error.message, /^Without generated code, POST \/notes cannot return the status/);
    // The response of this route may be anything, also a redirect.
    const answer = (await api.get("/files/*path", file)) as Response;
    assert.deepEqual([answer.status, answer.headers.get("location")], [status, location]);
    assert.equal(await answer.text(), reply.body);
    assert.equal(server.requests.length, 6);
  }
  assert.deepEqual(other.requests, []);
});

test("the message of a redirect has no user, query or fragment of the target, because these may be secret", async () => {
  for (const [location, shown] of [
    ["https://user:s3cret@a.example/b?code=s3cret&state=1#s3cret", "https://a.example/b"],
    ["//user:s3c@ret@a.example:81/@b/c", "//a.example:81/@b/c"],
    ["https:user:s3cret@a.example/b", "https:a.example/b"],
    ["\\\\s3cret@a.example/b", "\\\\a.example/b"],
    ["/@b/c?s3cret", "/@b/c"],
    ["https://user:s3cret@a.example/b?mail=me@a.example", "https://a.example/b"],
    ["https://a.example?mail=me@a.example&code=s3cret", "https://"],
    ["https://a.example#code=me@s3cret", "https://"],
    ["https://user:s3c?ret@a.example/b", "https://"],
    ["mail?to=https:s3cret@a.example", "mail"],
    ["?s3cret", ""],
  ] as const) {
    await using server = await TestServer.start(() => ({ status: 302, headers: { location } }));
    const api = createClient<Routes>({ baseUrl: server.url, codecs: anyFile });
    const { message, headers } = await failed(api.get("/notes"));
    assert.equal(
      message,
      `The contract of GET /notes does not declare the status 302, a redirect to ${shown}`,
    );
    assert.equal(headers.get("location"), location);
  }
});

test("a refused redirect releases its connection, also if its body does not end", async () => {
  const headers = { location: "/", "content-type": "text/plain" };
  await using server = await TestServer.start(() => ({ status: 302, headers, body: "a", rest: "late" }));
  const responses: Response[] = [];
  const api = createClient<Routes>({
    baseUrl: server.url,
    codecs: anyFile,
    interceptors: [
      async (request, next) => {
        const response = await next(request);
        responses.push(response);
        return response;
      },
    ],
  });
  await failed(api.get("/notes"));
  const { done } = await responses[0]!.body!.getReader().read();
  assert.equal(done, true);
});

test("the `fetch` option replaces the global `fetch`, and is called without a `this` value", async () => {
  const api = createClient<Routes>({
    baseUrl: "https://example.com/api",
    fetch(this: unknown, request) {
      assert.equal(this, undefined);
      return Promise.resolve(Response.json({ n: request.url.length }));
    },
  });
  assert.deepEqual(await api.get("/notes"), { n: "https://example.com/api/notes".length });
});

/** Returns the error of a failed call. */
async function failed(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: "the call should have failed" });
}
