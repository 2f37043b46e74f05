import assert from "node:assert/strict";
import { test } from "node:test";

import type { CompiledBody } from "@kit/types";
import express, { type Express, type RequestHandler } from "express";

import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { form, formType, multipart, serveBody } from "../../server-node/test/forms.ts";
import { outcome, post, raw, type Served, serve } from "../../server-node/test/support.ts";
import { expressServer } from "../src/index.ts";

quietStdout();

function serveOn(...middleware: readonly RequestHandler[]): Promise<Served> {
  const app: Express = express();
  for (const one of middleware) app.use(one);
  return serve(expressServer({ app }));
}

test("runs native routes and middleware first, and kit serves the rest", async () => {
  const app = express();
  app.use((_request, response, next) => {
    response.setHeader("x-before", "1");
    response.cookie("session", "s");
    next();
  });
  app.get("/native", (_request, response) => void response.send("native"));
  app.get("/notes/special", (_request, response) => void response.send("special"));
  const server = expressServer({ app });
  assert.equal(server.getNativeServer(), app);
  await using served = await serve(server, {
    get: (ctx) => {
      ctx.header("set-cookie", "own=1");
      return { text: "hi" };
    },
  });
  const get = async (path: string, method = "GET"): Promise<unknown[]> => {
    const response = await fetch(served.url + path, { method });
    return [response.status, response.headers.get("x-before"), response.headers.getSetCookie()];
  };
  assert.equal(await (await fetch(`${served.url}/native`)).text(), "native");
  assert.equal(await (await fetch(`${served.url}/notes/special`)).text(), "special");
  assert.deepEqual(await get("/notes/1"), [200, "1", ["session=s; Path=/", "own=1"]]);
  assert.deepEqual(await get("/notes/1/"), [200, "1", ["session=s; Path=/", "own=1"]]);
  assert.equal((await get("/notes/1", "PUT"))[0], 405);
  // Express has no route with this method for the path, and kit has no route for the path.
  assert.equal((await get("/native", "POST"))[0], 404);
});

const parsers: readonly [name: string, middleware: RequestHandler][] = [
  ["json", express.json()],
  ["json, not strict", express.json({ strict: false })],
  ["raw", express.raw({ type: () => true })],
  ["text", express.text({ type: () => true })],
  ["urlencoded", express.urlencoded({ extended: true })],
];

for (const [name, middleware] of parsers) {
  test(`kit gets the body if express.${name} has already parsed it`, async () => {
    await using app = await serveOn(middleware);
    const send = (body: string | Uint8Array<ArrayBuffer>, type?: string): Promise<[number, unknown]> =>
      outcome(post(`${app.url}/notes`, body, type));
    assert.deepEqual(await send('{"text":"ä€","other":1}'), [201, { text: "ä€" }]);
    assert.deepEqual(await send('{"text":5}'), [400, "VALIDATION_ERROR"]);
    assert.deepEqual(await send('"text"'), [400, "VALIDATION_ERROR"]);
    assert.deepEqual(await send('{"text":'), [400, "VALIDATION_ERROR"]);
    assert.deepEqual(await send('{"__proto__":{"text":"a"}}'), [400, "VALIDATION_ERROR"]);
    assert.deepEqual(await send("text=a", "application/x-www-form-urlencoded"), [
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ]);
    assert.deepEqual(await send('{"text":"a"}', "application/json; charset=latin1"), [
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ]);
    assert.deepEqual(await send("x".repeat(1024 * 1024 + 1)), [413, "PAYLOAD_TOO_LARGE"]);
    assert.deepEqual(await outcome(post(`${app.url}/nowhere`, "{")), [404, "NOT_FOUND"]);
    assert.deepEqual(app.log, []);
  });
}

function serveForm(format: CompiledBody, ...middleware: readonly RequestHandler[]): Promise<Served> {
  const app = express();
  for (const one of middleware) app.use(one);
  return serveBody(expressServer({ app }), format);
}

test("kit reads the same form if express.urlencoded has already parsed it", async () => {
  await using plain = await serveForm(form);
  for (const extended of [true, false]) {
    await using parsed = await serveForm(form, express.urlencoded({ extended }));
    for (const body of [
      "title=a%20b&done=",
      "tag=1&tag=2&title=%C3%A4+%26",
      "a[b][c]=1&a[b][d]=2",
      "a[0][b]=1&a[1][b]=2",
    ]) {
      const answers = [plain, parsed].map(({ url }) =>
        post(`${url}/forms`, body, `${formType}; charset=utf-8`),
      );
      const [expected, found] = await Promise.all(answers);
      assert.equal(expected![0], 201);
      assert.deepEqual(found, expected, `${extended}: ${body}`);
    }
    assert.deepEqual(parsed.log, []);
  }
});

/** Returns middleware that reads the body and stores another value. */
function storing(body: unknown): RequestHandler {
  return (request, _response, next) => {
    request
      .on("data", () => {})
      .on("end", () => {
        request.body = body;
        next();
      });
  };
}

test("responds with a clear error if middleware has read a multipart body or a form that it cannot give back", async () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  for (const [format, body, type, message] of [
    [form, cycle, formType, /has no form; remove the middleware/],
    [
      multipart,
      { pairs: "a" },
      "multipart/form-data; boundary=b",
      /fields of a multipart body, without its files/,
    ],
  ] as const) {
    await using app = await serveForm(format, storing(body));
    const [status] = await post(`${app.url}/forms`, "pairs=a", type);
    assert.equal(status, 500);
    assert.match(app.log[0]!.message, message);
  }
});

async function explain(app: Served): Promise<unknown> {
  const [, body] = await post(`${app.url}/notes`, '{"text" "a"}');
  return { ...(body as { error: object }).error, traceId: "" };
}

test("malformed JSON gets the same error with and without a body parser of Express", async () => {
  await using plain = await serveOn();
  await using parsed = await serveOn(express.json());
  assert.deepEqual(await explain(parsed), await explain(plain));
});

const keep: RequestHandler = (request, _response, next) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    Object.assign(request, { rawBody: Buffer.concat(chunks), body: { text: 5 } });
    next();
  });
};

test("kit reads the bytes that middleware stored in `rawBody`", async () => {
  await using app = await serveOn(keep);
  assert.deepEqual(await post(`${app.url}/notes`, '{"text":"a"}'), [201, { text: "a" }]);
});

test("responds with a clear error if middleware has read the body and stored it nowhere", async () => {
  await using app = await serveOn((request, _response, next) => {
    request.on("data", () => {}).on("end", next);
  });
  assert.deepEqual(await outcome(post(`${app.url}/notes`, '{"text":"a"}')), [500, "INTERNAL_SERVER_ERROR"]);
  assert.match(app.log[0]!.message, /was read before kit saw the request.*rawBody/);
});

test("an error that middleware throws is sent in the format of kit's errors", async () => {
  const thrown: Record<string, unknown> = {
    "/forbidden": Object.assign(new Error("not for you"), { status: 403 }),
    "/busy": Object.assign(new Error("pool of db-3 is empty"), { statusCode: 503 }),
    "/bug": new TypeError("secret"),
    "/text": "no error",
  };
  await using app = await serveOn((request, _response, next) => next(thrown[request.path]));
  const failure = async (path: string): Promise<unknown[]> => {
    const response = await fetch(app.url + path);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return [response.status, error.code, error.message];
  };
  assert.deepEqual(await failure("/forbidden"), [403, "FORBIDDEN", "not for you"]);
  assert.deepEqual(await failure("/busy"), [503, "SERVICE_UNAVAILABLE", "Service Unavailable"]);
  assert.deepEqual(await failure("/bug"), [500, "INTERNAL_SERVER_ERROR", "Internal Server Error"]);
  assert.deepEqual(await failure("/text"), [500, "INTERNAL_SERVER_ERROR", "Internal Server Error"]);
  // All four errors were thrown, so they are logged as errors even if their status is below 500.
  assert.equal(app.log.length, 4);
});

test("error middleware of the application handles errors instead of kit", async () => {
  const app = express();
  app.get("/bug", () => {
    throw new Error("mine");
  });
  app.use(((error: Error, _request, response, _next) => {
    response.status(418).send(error.message);
  }) satisfies express.ErrorRequestHandler);
  await using served = await serve(expressServer({ app }));
  const response = await fetch(`${served.url}/bug`);
  assert.deepEqual([response.status, await response.text()], [418, "mine"]);
});

test("kit serves the original path of a request if middleware changes `request.url`", async () => {
  await using app = await serveOn((request, _response, next) => {
    request.url = "/elsewhere";
    next();
  });
  assert.equal((await fetch(`${app.url}/notes/1`)).status, 200);
});

test("a target that is a full URL reaches routes of Express and of kit", async () => {
  const app = express();
  app.get("/native", (_request, response) => void response.send("native"));
  await using served = await serve(expressServer({ app }));
  const send = (target: string): Promise<string> =>
    raw(served.port, `GET http://a${target} HTTP/1.1\r\nHost: a\r\nconnection: close\r\n\r\n`);
  assert.match(await send("/native"), /native$/);
  assert.match(await send("/notes/1"), /\{"text":"hi"\}$/);
});

test("middleware sees the host of a target that is a full URL, and the response has the headers that middleware sets", async () => {
  const hosts: string[] = [];
  await using served = await serveOn((request, response, next) => {
    hosts.push(request.hostname, request.headers.host ?? "", request.rawHeaders.join(" "));
    response.setHeader("x-content-type-options", "nosniff, own");
    next();
  });
  const request = "GET http://b.example:80/notes/1 HTTP/1.1\r\nHost: a\r\nconnection: close\r\n\r\n";
  assert.match(await raw(served.port, request), /\r\nx-content-type-options: nosniff, own\r\n/i);
  assert.deepEqual(hosts, ["b.example", "b.example:80", "Host b.example:80 connection close"]);
});
