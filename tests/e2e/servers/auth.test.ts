// Tests requireAuth: which access tokens it accepts, and as which user.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertError } from "../support/errors.ts";
import { Project } from "../support/project.ts";
import type { RunningApp } from "../support/running-app.ts";
import { UNKNOWN_ID, type NoteJson } from "../support/wire.ts";

const ROUTES: [method: string, path: string, body?: string][] = [
  ["GET", "/notes"],
  ["POST", "/notes", '{"title":"t","content":"c"}'],
  ["GET", `/notes/${UNKNOWN_ID}`],
  ["PUT", `/notes/${UNKNOWN_ID}`, "{}"],
  ["DELETE", `/notes/${UNKNOWN_ID}`],
];

let project: Project;
let app: RunningApp;

before(async () => {
  project = await Project.ready();
  app = await project.start();
});
after(() => project?.remove());

async function assertRefused(headers: Record<string, string>, code: string): Promise<void> {
  for (const [method, path, body] of ROUTES) {
    const answer = await app.with(headers).send(method, path, body, { "content-type": "application/json" });
    assertError(answer, 401, code);
  }
}

describe("every route responds with 401 UNAUTHORIZED", () => {
  test("without the header authorization", () => assertRefused({}, "UNAUTHORIZED"));
  for (const value of [
    "",
    "Bearer",
    "Bearer ",
    "bearer ada:user",
    "BEARER ada:user",
    "Basic YWRhOnVzZXI=",
    "ada:user",
    "Bearer\tada:user",
    "Bearerada:user",
  ]) {
    test(`to authorization: ${JSON.stringify(value)}`, () =>
      assertRefused({ authorization: value }, "UNAUTHORIZED"));
  }
});

describe("every route responds with 401 INVALID_TOKEN", () => {
  for (const token of [":admin", ":user", ":", "::"]) {
    test(`to authorization: Bearer ${token}`, () =>
      assertRefused({ authorization: `Bearer ${token}` }, "INVALID_TOKEN"));
  }
});

describe("access tokens that are accepted", () => {
  const users: [token: string, userId: string][] = [
    ["ada:user", "ada"],
    ["ada:admin", "ada"],
    ["ada:Admin", "ada"],
    ["ada:", "ada"],
    ["ada", "ada"],
    ["ada:user:more", "ada"],
    ["ada lovelace:user", "ada lovelace"],
    [" ada:user", " ada"],
  ];
  for (const [token, userId] of users) {
    test(`Bearer ${token} is ${JSON.stringify(userId)}`, async () => {
      const api = app.with({ authorization: `Bearer ${token}` });
      const answer = await api.post<NoteJson>("/notes", { title: "t", content: "c" });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.body.authorId, userId);
    });
  }

  test("may contain a user id with the maximum length of an author, but not with one character more", async () => {
    const longest = "a".repeat(100);
    const answer = await app.as(longest).post<NoteJson>("/notes", { title: "t", content: "c" });
    assert.equal(answer.body.authorId, longest);
    assertError(
      await app.as(`${longest}a`).post("/notes", { title: "t", content: "c" }),
      401,
      "INVALID_TOKEN",
    );
  });
});

test("the authorization is checked before the request is validated, so that other clients learn nothing about the contract", async () => {
  const stranger = app.with({});
  assertError(await stranger.post("/notes", { title: 42 }), 401, "UNAUTHORIZED");
  assertError(await stranger.get("/notes?page=abc"), 401, "UNAUTHORIZED");
  assertError(
    await stranger.send("POST", "/notes", "{", { "content-type": "application/json" }),
    401,
    "UNAUTHORIZED",
  );
});

test("the response to an unknown path requires no authorization", async () => {
  assertError(await app.with({}).get("/nowhere"), 404, "NOT_FOUND");
  assertError(await app.with({}).send("PATCH", "/notes"), 405, "METHOD_NOT_ALLOWED");
});
