// Tests paths and methods: existing and unknown routes, and requests that every HTTP server must refuse.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Api } from "../support/api.ts";
import { assertError, assertInvalid } from "../support/errors.ts";
import { Project } from "../support/project.ts";
import { raw, statusOf } from "../support/raw.ts";
import type { RunningApp } from "../support/running-app.ts";
import type { NoteJson } from "../support/wire.ts";

const AUTHORIZATION = "authorization: Bearer ada:user\r\n";

let project: Project;
let app: RunningApp;
let ada: Api;
let note: NoteJson;

before(async () => {
  project = await Project.ready();
  app = await project.start();
  ada = app.as("ada");
  note = (await ada.post<NoteJson>("/notes", { title: "t", content: "c" })).body;
});
after(() => project?.remove());

/** Sends a request line with the usual headers. The server closes the connection after the response. */
function line(request: string, headers = ""): Promise<string> {
  return raw(
    app.port,
    `${request}\r\nhost: localhost\r\n${AUTHORIZATION}${headers}connection: close\r\n\r\n`,
  );
}

describe("an unknown path gets 404 NOT_FOUND", () => {
  for (const path of [
    "/",
    "/note",
    "/notesx",
    "/Notes",
    "/notes/a/b",
    "/notes//",
    "//notes",
    "/notes//a",
    "/constructor",
    "/__proto__",
    "/%6Eotes%2F",
  ]) {
    test(path, async () => {
      for (const method of ["GET", "POST", "DELETE"]) {
        const answer = await line(`${method} ${path} HTTP/1.1`);
        assert.equal(statusOf(answer), 404, answer);
        assert.match(answer, /"code":"NOT_FOUND"/);
      }
    });
  }
});

describe("a wrong method gets 405 METHOD_NOT_ALLOWED, and Allow names the valid methods", () => {
  const cases: [method: string, path: string, allow: string][] = [
    ["PATCH", "/notes", "GET, HEAD, POST"],
    ["DELETE", "/notes", "GET, HEAD, POST"],
    ["PUT", "/notes/", "GET, HEAD, POST"],
    ["OPTIONS", "/notes", "GET, HEAD, POST"],
    ["POST", "/notes/1", "GET, HEAD, PUT, DELETE"],
    ["PATCH", "/notes/1/", "GET, HEAD, PUT, DELETE"],
    ["QUERY", "/notes", "GET, HEAD, POST"],
  ];
  for (const [method, path, allow] of cases) {
    test(`${method} ${path}`, async () => {
      const answer = await ada.send(method, path);
      assertError(answer, 405, "METHOD_NOT_ALLOWED");
      assert.equal(answer.headers.get("allow"), allow);
    });
  }
});

describe("a route is found in another spelling of its path", () => {
  test("with a trailing slash", async () => {
    assert.equal((await ada.get("/notes/")).status, 200);
    assert.deepEqual((await ada.get<NoteJson>(`/notes/${note.id}/`)).body, note);
    assert.equal((await ada.get("/notes/?page=1")).status, 200);
  });

  test("with percent-encoding", async () => {
    assert.equal((await ada.get("/%6eotes")).status, 200);
    assert.equal((await ada.get("/n%6Ftes?p%61ge=1&pageSize=%31")).status, 200);
    const encoded = note.id.replaceAll("-", "%2D");
    assert.deepEqual((await ada.get<NoteJson>(`/notes/${encoded}`)).body, note);
    assert.deepEqual((await ada.get<NoteJson>(`/notes/${note.id.toUpperCase()}`)).body, note);
  });

  test("with a target in absolute form", async () => {
    const answer = await line("GET http://localhost/notes?pageSize=1 HTTP/1.1");
    assert.equal(statusOf(answer), 200, answer);
  });

  test("an invalid percent-escape in a path gets 400", async () => {
    for (const path of ["/notes/%", "/notes/%2", "/notes/%zz", "/notes/%E0%A4%A", "/notes/%ff", "/%ff"]) {
      const answer = await line(`GET ${path} HTTP/1.1`);
      assert.equal(statusOf(answer), 400, `${path}: ${answer}`);
      assert.match(answer, /"traceId":"[0-9a-f]{32}"/);
    }
  });
});

test("an id that no database can store gets 400", async () => {
  for (const path of ["/notes/%00", "/notes/a%00b"]) assertInvalid(await ada.get(path), "$.id");
});

describe("a HEAD request", () => {
  test("gets the response of GET without the body", async () => {
    for (const path of [`/notes/${note.id}`, "/notes", "/notes/abc", "/nowhere"]) {
      const get = await ada.get(path);
      const head = await ada.send("HEAD", path);
      assert.equal(head.status, get.status);
      assert.equal(head.text, "");
      assert.equal(head.headers.get("content-type"), get.headers.get("content-type"));
      if (get.status === 200)
        assert.equal(head.headers.get("content-length"), get.headers.get("content-length"));
    }
  });

  test("gets no byte of a body on the connection", async () => {
    const answer = await line(`HEAD /notes/${note.id} HTTP/1.1`);
    assert.equal(statusOf(answer), 200);
    assert.ok(answer.endsWith("\r\n\r\n"), answer);
  });
});

describe("connections to the server", () => {
  test("serve many requests, also if a client sends the requests together", async () => {
    const one = `GET /notes/${note.id} HTTP/1.1\r\nhost: localhost\r\n${AUTHORIZATION}`;
    const answer = await raw(app.port, `${one}\r\n`.repeat(4) + `${one}connection: close\r\n\r\n`);
    assert.equal(answer.match(/HTTP\/1\.1 200 OK/g)?.length, 5, answer);
    assert.equal(answer.match(new RegExp(note.id, "g"))?.length, 5);
  });

  test("accept a request with a chunked body", async () => {
    const answer = await line(
      "POST /notes HTTP/1.1",
      "content-type: application/json\r\ntransfer-encoding: chunked\r\n",
    );
    // Only the head is sent before the connection closes, so no response may report a new note.
    assert.notEqual(statusOf(answer), 201);
    const chunks = ['{"title":"chu', 'nked","content"', ':"c"}'];
    const body = chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join("");
    const whole = await raw(
      app.port,
      `POST /notes HTTP/1.1\r\nhost: localhost\r\n${AUTHORIZATION}content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n${body}0\r\n\r\n`,
    );
    assert.equal(statusOf(whole), 201, whole);
    assert.match(whole, /"title":"chunked"/);
  });

  const refused: [what: string, status: number, request: string][] = [
    [
      "a length twice over",
      400,
      "POST /notes HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\n{}",
    ],
    [
      "a length and chunks",
      400,
      "POST /notes HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["no host", 400, "GET /notes HTTP/1.1\r\n\r\n"],
    ["two hosts", 400, "GET /notes HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n"],
    ["a line without a target", 400, "GET\r\nhost: a\r\n\r\n"],
    ["a header without a name", 400, "GET /notes HTTP/1.1\r\nhost: a\r\n: x\r\n\r\n"],
    ["a line that ends without CR", 400, "GET /notes HTTP/1.1\nhost: a\n\n"],
    ["noise", 400, "\u0016\u0003\u0001\u0000\r\n\r\n"],
    ["a target of 9,000 bytes", 414, `GET /${"a".repeat(9000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
    ["20,000 bytes of headers", 431, `GET /notes HTTP/1.1\r\nhost: a\r\nx: ${"a".repeat(20_000)}\r\n\r\n`],
    ["101 headers", 431, `GET /notes HTTP/1.1\r\nhost: a\r\n${"x: y\r\n".repeat(100)}\r\n`],
    ["an unknown expectation", 417, "GET /notes HTTP/1.1\r\nhost: a\r\nexpect: miracles\r\n\r\n"],
  ];
  for (const [what, status, request] of refused) {
    test(`are closed after ${status} for ${what}`, async () => {
      const answer = await raw(app.port, request, 2000);
      assert.equal(statusOf(answer), status, JSON.stringify(answer));
      assert.equal(answer.match(/HTTP\/1\.1/g)?.length, 1, "one answer, then the end");
      assert.match(answer, /^content-type: application\/json\r$/m);
      assert.match(answer, /\r\n\r\n\{"error":\{"code":"[A-Z_]+","message":"[^"]+"/);
    });
  }

  test("may close in the middle of a request, and the server continues to run", async () => {
    const whole = `GET /notes HTTP/1.1\r\nhost: localhost\r\n${AUTHORIZATION}\r\n`;
    await Promise.all(
      Array.from({ length: whole.length }, (_, length) => raw(app.port, whole.slice(0, length), 20)),
    );
    assert.equal((await ada.get("/notes")).status, 200);
  });
});
