// Tests of a generated client for bodies that are not JSON: types, bytes on the wire, streams and reconnections.

import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { ApiError, type Client, type ClientOptions } from "@kit/client";
import type { Form, Multipart, Raw, Route, Text } from "@kit/types";

import {
  createClient,
  type Routes,
  type Types,
} from "../../crates/kit-emit/tests/goldens/bodies/client/index.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T | undefined => undefined;

interface Contracts {
  "POST /form": Route<{ body: Form<{ a: string }> }>;
  "POST /parts": Route<{ body: Multipart<{ photo: File }> }>;
  "POST /hook": Route<{ body: Raw<"application/json">; response: Text }>;
}

// These functions are never called, because only their types are checked.
export async function calls(api: Client<Routes>): Promise<void> {
  const album = { name: "a", opened: new Date() };
  const photo = new File(["a"], "a.png", { type: "image/png" });
  await api.post("/photos", { body: { title: "t", album, photo, more: [photo, new Blob(["b"])] } });
  // @ts-expect-error the required file is missing
  await api.post("/photos", { body: { title: "t", album } });
  // @ts-expect-error a string is not a file
  await api.post("/files", { body: { file: "a" } });
  await api.post("/hooks", { body: new Uint8Array([1]) });
  // @ts-expect-error a string has no bytes
  await api.post("/hooks", { body: "a" });
  await api.post("/images", { body: new Blob(["a"]), contentType: "image/png" });
  // @ts-expect-error the contract allows several media types
  await api.post("/images", { body: new Blob(["a"]) });
  // @ts-expect-error a media type outside of the range
  await api.post("/images", { body: new Blob(["a"]), contentType: "text/plain" });
  await api.post("/tables", { body: "a,b", contentType: "text/csv" });
  // @ts-expect-error a media type that the contract does not allow
  await api.post("/tables", { body: "a,b", contentType: "text/html" });
  // @ts-expect-error a line of another type
  await api.post("/imports", { body: [{ title: "a" }] });
  yes<Same<Awaited<ReturnType<typeof table>>, string>>();
  const table = () => api.get("/table");
  const image = await api.get("/image");
  yes<Same<typeof image, Uint8Array>>();
  const books = await api.get("/books");
  yes<Same<typeof books, AsyncIterable<Types.Book>>>();
  for await (const event of await api.get("/events")) {
    if (event.event === "done") yes<Same<typeof event.data, Types.Book>>();
    else if (event.event === "progress") yes<Same<typeof event.data, Types.Progress>>();
    else yes<Same<typeof event.data, undefined>>();
  }
  const reply = await api.get("/report");
  if (reply.status === 200) yes<Same<typeof reply.data, string>>();
  if (reply.status === 203) yes<Same<typeof reply.data, AsyncIterable<Types.Book>>>();
}

export async function callsOfContracts(api: Client<Contracts>): Promise<void> {
  await api.post("/form", { body: new URLSearchParams({ a: "1" }) });
  // @ts-expect-error without generated code, the client cannot encode a form
  await api.post("/form", { body: { a: "1" } });
  await api.post("/parts", { body: new FormData() });
  const answer = await api.post("/hook", { body: "{}", contentType: "application/json" });
  yes<Same<typeof answer, Response>>();
}

interface Received {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  bytes: Buffer;
}

type Answer = (request: Received, response: ServerResponse, count: number) => void;

/** Starts a server for one test, and creates a client of it. */
async function served(
  answer: Answer,
  options: Partial<ClientOptions> = {},
): Promise<{ api: Client<Routes>; url: string; requests: Received[] } & AsyncDisposable> {
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const received = { method, url, headers, bytes: Buffer.concat(chunks) };
      requests.push(received);
      answer(received, response, requests.length);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    api: createClient({ baseUrl: url, ...options }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const nothing: Answer = (_request, response) => response.writeHead(204).end();

async function formOf({ headers, bytes }: Received): Promise<FormData> {
  const type = headers["content-type"] ?? "";
  return await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
}

test("a form is sent as URL-encoded fields, with a field for each item of a list", async () => {
  await using app = await served(nothing);
  await app.api.post("/sessions", {
    body: { email: "a&b@example.com", count: 2, remember: true, topics: ["news", "offers"] },
  });
  const [sent] = app.requests;
  assert.equal(sent?.headers["content-type"], "application/x-www-form-urlencoded;charset=UTF-8");
  assert.equal(
    sent?.bytes.toString(),
    "email=a%26b%40example.com&count=2&remember=true&topics=news&topics=offers",
  );
});

test("an upload is the last part of a body, in any order of the properties", async () => {
  await using app = await served((_request, response) => response.writeHead(204).end());
  const file = new File(["film"], "a.txt", { type: "text/plain" });
  const cover = new File(["a"], "a.png", { type: "image/png" });
  await app.api.post("/videos", { body: { video: file, cover, title: "t", album: { name: "x" } } });
  await app.api.post("/archives", { body: { archives: [file, new Blob(["2"])] } });
  await app.api.post("/avatars", { body: {} });
  const sent = await Promise.all(app.requests.map(formOf));
  assert.deepEqual(
    sent.map((form) => [...form.keys()]),
    [["album", "cover", "title", "video"], ["archives", "archives"], []],
  );
  assert.equal((sent[0]!.get("video") as File).name, "a.txt");
});

test("a multipart body has files with names and types, text fields and JSON fields", async () => {
  await using app = await served((_request, response) =>
    response.writeHead(201, { "content-type": "application/json" }).end('{"id":"1","title":"t"}'),
  );
  const bytes = new Uint8Array([0x89, 0x50, 0, 255]);
  const photo = new File([bytes], "ü.png", { type: "image/png" });
  const answer = await app.api.post("/photos", {
    body: {
      title: "t",
      taken: new Date(0),
      tags: ["a", "b"],
      album: { name: "x", opened: new Date(0) },
      photo,
      more: [new Blob(["1"], { type: "image/gif" }), new Blob(["2"], { type: "image/gif" })],
    },
  });
  assert.deepEqual(answer, { id: "1", title: "t" });
  const form = await formOf(app.requests[0]!);
  assert.equal(form.get("title"), "t");
  assert.equal(form.get("taken"), "1970-01-01T00:00:00.000Z");
  assert.deepEqual(form.getAll("tags"), ["a", "b"]);
  assert.equal(form.get("album"), '{"name":"x","opened":"1970-01-01T00:00:00.000Z"}');
  const received = form.get("photo") as File;
  assert.deepEqual([received.name, received.type], ["ü.png", "image/png"]);
  assert.deepEqual(new Uint8Array(await received.arrayBuffer()), bytes);
  assert.equal(form.getAll("more").length, 2);
});

test("bytes of every kind are sent unchanged with the content type of the contract or the caller", async () => {
  await using app = await served(nothing);
  const bytes = new Uint8Array([1, 0, 255]);
  await app.api.post("/hooks", { body: bytes });
  await app.api.post("/icons", { body: bytes.buffer });
  await app.api.post("/images", { body: new Blob([bytes]), contentType: "image/gif" });
  await app.api.post("/blobs", { body: new Blob([bytes]).stream(), contentType: "a/b" });
  await app.api.post("/tables", { body: "ä\tb", contentType: "text/tab-separated-values" });
  assert.deepEqual(
    app.requests.map(({ headers }) => headers["content-type"]),
    ["application/json", "image/png", "image/gif", "a/b", "text/tab-separated-values; charset=utf-8"],
  );
  for (const { bytes: sent } of app.requests.slice(0, 4)) assert.deepEqual(new Uint8Array(sent), bytes);
  assert.equal(app.requests[4]?.bytes.toString(), "ä\tb");
});

test("a call without the content type that it needs throws before a request is sent", async () => {
  await using app = await served(nothing);
  const call = { body: new Uint8Array() } as unknown as { body: Uint8Array; contentType: "image/png" };
  await assert.rejects(async () => await app.api.post("/images", call), /needs `contentType`.*image\/\*/);
  assert.equal(app.requests.length, 0);
});

test("lines are sent from an iterable and from an async iterable, one JSON value on each line", async () => {
  await using app = await served((_request, response) =>
    response.writeHead(201, { "content-type": "application/json" }).end('{"imported":2}'),
  );
  const books = [1, 2].map((pages) => ({ title: `b${pages}`, pages, printed: new Date(0) }));
  assert.deepEqual(await app.api.post("/imports", { body: books }), { imported: 2 });
  async function* later() {
    for (const book of books) yield await Promise.resolve(book);
  }
  await app.api.post("/imports", { body: later() });
  const expected = books.map((book) => `${JSON.stringify(book)}\n`).join("");
  for (const { headers, bytes } of app.requests) {
    assert.equal(headers["content-type"], "application/jsonl");
    assert.equal(bytes.toString(), expected);
  }
});

test("text and bytes of a response are a string and a Uint8Array, and `accept` asks for their media type", async () => {
  await using app = await served(({ url }, response) => {
    if (url === "/image") response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from([1, 255]));
    else response.writeHead(200, { "content-type": "text/csv; charset=utf-8" }).end("a,ü");
  });
  assert.equal(await app.api.get("/table"), "a,ü");
  assert.deepEqual(await app.api.get("/image"), new Uint8Array([1, 255]));
  const reply = await app.api.get("/report");
  assert.deepEqual(reply, { status: 200, data: "a,ü", headers: {} });
  assert.deepEqual(
    app.requests.map(({ headers }) => headers.accept),
    [
      "text/csv, application/json",
      "image/png, application/json",
      "text/csv, application/jsonl, text/event-stream, application/json",
    ],
  );
});

test("`stream()` gives the body as a stream, and errors as usual", async () => {
  await using app = await served((_request, response, count) => {
    if (count === 1) response.writeHead(200, { "content-type": "image/png" }).end("abc");
    else
      response
        .writeHead(404, { "content-type": "application/json" })
        .end('{"error":{"code":"NO","message":"no"}}');
  });
  const stream = await app.api.get("/image").stream();
  assert.equal(await new Response(stream).text(), "abc");
  await assert.rejects(
    app.api.get("/image").stream(),
    (error) => error instanceof ApiError && error.code === "NO",
  );
});

test("lines of a response are decoded one after the other, even after the timeout of the call", async () => {
  await using app = await served(
    (_request, response) => {
      response.writeHead(200, { "content-type": "application/jsonl" });
      response.write('{"title":"a","pages":1,"printed":"1970-01-01T00:00:00.000Z"}\n{"title":"b",');
      setTimeout(() => response.end('"pages":2,"printed":"1970-01-01T00:00:00.000Z"}'), 150);
    },
    { timeoutMs: 100 },
  );
  const books = [];
  for await (const book of await app.api.get("/books")) books.push(book);
  assert.deepEqual(books, [
    { title: "a", pages: 1, printed: new Date(0) },
    { title: "b", pages: 2, printed: new Date(0) },
  ]);
});

test("a line that is not JSON and a connection that is lost are errors of the iteration", async () => {
  await using app = await served((_request, response, count) => {
    response.writeHead(200, { "content-type": "application/jsonl" });
    if (count === 1) response.end("nonsense\n");
    else response.write("{}\n", () => setTimeout(() => response.destroy(), 20));
  });
  const read = async () => {
    for await (const _ of await app.api.get("/books"));
  };
  await assert.rejects(read, (error) => error instanceof ApiError && error.code === "UNEXPECTED_RESPONSE");
  await assert.rejects(read, (error) => error instanceof ApiError && error.code === "NETWORK_ERROR");
});

function failureOf(code: string): string {
  return JSON.stringify({ error: { code, message: "no", traceId: "" } });
}

const EVENTS = { "content-type": "text/event-stream" };

test("events are decoded by name, and after a lost connection the client continues after the last id", async () => {
  await using app = await served((request, response, count) => {
    response.writeHead(200, EVENTS);
    if (count === 1) {
      response.write(
        'retry: 10\n\n:\n\nid: 1\nevent: progress\ndata: {"percent":5}\n\nevent: other\ndata: 1\n\n',
        () => setTimeout(() => response.destroy(), 20),
      );
    } else if (count === 2) {
      response.end("event: stopped\ndata: null\nid: 2\n\n");
    } else {
      response.write(
        'event: done\nid: 3\ndata: {"title":"a","pages":1,"printed":"1970-01-01T00:00:00.000Z"}\n\n',
      );
    }
  });
  const events = [];
  for await (const event of await app.api.get("/events")) {
    events.push(event);
    if (event.event === "done") break;
  }
  assert.deepEqual(events, [
    { event: "progress", data: { percent: 5 }, id: "1" },
    { event: "stopped", data: undefined, id: "2" },
    { event: "done", data: { title: "a", pages: 1, printed: new Date(0) }, id: "3" },
  ]);
  assert.deepEqual(
    app.requests.map(({ headers }) => headers["last-event-id"]),
    [undefined, "1", "2"],
  );
});

test("events end at 204, at the abort of the signal, and at the end of the stream without retries", async () => {
  await using app = await served((_request, response, count) => {
    if (count === 2) return void response.writeHead(204).end();
    response.writeHead(200, EVENTS);
    response.write('retry: 1\nevent: progress\ndata: {"percent":5}\n\n');
    if (count !== 3) response.end();
  });
  let events = 0;
  for await (const _ of await app.api.get("/events")) events += 1;
  assert.deepEqual([events, app.requests.length], [1, 2]);
  const stop = new AbortController();
  for await (const _ of await app.api.get("/events", { signal: stop.signal })) stop.abort();
  assert.equal(app.requests.length, 3);
  for await (const _ of await app.api.get("/events", { retry: false })) events += 1;
  assert.deepEqual([events, app.requests.length], [2, 4]);
});

test("a reconnection is tried again after 503, and fails with another error of the server", async () => {
  await using app = await served((_request, response, count) => {
    if (count === 1) return void response.writeHead(200, EVENTS).end("retry: 1\n\n");
    const status = count < 4 ? 503 : 403;
    response.writeHead(status, { "content-type": "application/json" }).end(failureOf(`E${status}`));
  });
  await assert.rejects(
    async () => {
      for await (const _ of await app.api.get("/events"));
    },
    (error) => error instanceof ApiError && error.status === 403 && error.code === "E403",
  );
  assert.equal(app.requests.length, 4);
});

test("an id in any script is sent as UTF-8 in the header `last-event-id`", async () => {
  await using app = await served((_request, response, count) => {
    if (count === 2) return void response.writeHead(204).end();
    response.writeHead(200, EVENTS).end('retry: 1\nid: …é\nevent: progress\ndata: {"percent":5}\n\n');
  });
  for await (const _ of await app.api.get("/events"));
  const sent = app.requests[1]?.headers["last-event-id"];
  assert.equal(Buffer.from(sent as string, "latin1").toString(), "…é");
});

test("a reconnection fails with an unexpected response if the server sends a page instead of events", async () => {
  await using app = await served((_request, response, count) => {
    const headers = { "content-type": count === 1 ? "Text/Event-Stream;bogus" : "text/event-stream-not" };
    response.writeHead(200, headers).end("retry: 1\n\n");
  });
  await assert.rejects(
    async () => {
      for await (const _ of await app.api.get("/events"));
    },
    (error) => error instanceof ApiError && error.code === "UNEXPECTED_RESPONSE",
  );
  assert.equal(app.requests.length, 2);
});

test("a reconnection that no server answers in time is tried again", async () => {
  await using app = await served(
    (_request, response, count) => {
      if (count === 1) response.writeHead(200, EVENTS).end("retry: 1\n\n");
      else if (count === 3) response.writeHead(204).end();
    },
    { timeoutMs: 100 },
  );
  for await (const _ of await app.api.get("/events"));
  assert.equal(app.requests.length, 3);
});

test("the delays of reconnections grow up to the maximum, also after `retry: 0`", async () => {
  const times: number[] = [];
  const stop = new AbortController();
  await using app = await served((_request, response, count) => {
    times.push(performance.now());
    if (count === 6) stop.abort();
    else response.writeHead(200, EVENTS).end("retry: 0\n\n");
  });
  const retry = { maxDelayMs: 300 };
  for await (const _ of await app.api.get("/events", { retry, signal: stop.signal }));
  const delays = times.slice(1).map((time, at) => time - times[at]!);
  const least = [0, 200, 300, 300, 300];
  assert.equal(delays.length, least.length);
  for (const [at, ms] of least.entries()) assert.ok(delays[at]! > ms - 5, `${delays}`);
});

test("a reconnection time above the maximum of timers causes no immediate reconnection", async () => {
  for (const digits of ["9".repeat(400), String(2 ** 31)]) {
    const stop = new AbortController();
    await using app = await served((_request, response) =>
      response.writeHead(200, EVENTS).end(`retry: ${digits}\n\n`),
    );
    const begin = performance.now();
    setTimeout(() => stop.abort(), 150);
    for await (const _ of await app.api.get("/events", { signal: stop.signal }));
    assert.equal(app.requests.length, 1);
    assert.ok(performance.now() - begin < 1000, "the abort ends the wait at once");
  }
});

test("the connection closes if the caller ends the iteration of events", async () => {
  const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>();
  await using app = await served((_request, response) => {
    response.on("close", closed);
    response.writeHead(200, EVENTS).write('event: progress\ndata: {"percent":5}\n\n');
  });
  for await (const _ of await app.api.get("/events")) break;
  await isClosed;
});

test("a call fails with an unexpected response if the server sends a page instead of events or lines", async () => {
  await using app = await served((_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
  );
  for (const call of [() => app.api.get("/events"), () => app.api.get("/books")]) {
    await assert.rejects(
      async () => await call(),
      (error) => error instanceof ApiError && error.code === "UNEXPECTED_RESPONSE",
    );
  }
});
