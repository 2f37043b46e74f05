// Tests the generated clients of the example applications, in Node and in a browser.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isApiError } from "@kit/client";
import { chromium } from "playwright-core";
import {
  createClient as createNotes,
  type Routes as NoteRoutes,
} from "../../examples/notes/.kit/client/index.ts";
import {
  createClient as createTeams,
  type Routes as TeamRoutes,
} from "../../examples/teams/.kit/client/index.ts";
import { credentials } from "../../examples/teams/tests/token.ts";
import { chromiumPath, withoutChromium } from "../e2e/support/chromium.ts";
import { type Example, Project, repository } from "../e2e/support/project.ts";
import type { RunningApp } from "../e2e/support/running-app.ts";

describe("the client of the notes example", () => {
  let project: Project;
  let app: RunningApp;
  before(async () => {
    project = await Project.ready();
    app = await project.start();
  });
  after(() => project?.remove());

  test("creates, reads, lists, changes and deletes notes, with dates as Date objects", async () => {
    const api = createNotes<NoteRoutes>({ baseUrl: app.url, headers: { authorization: "Bearer ada:user" } });
    const note = await api.post("/notes", { body: { title: "Groceries", content: "Milk" } });
    assert.ok(note.createdAt instanceof Date && Math.abs(note.createdAt.getTime() - Date.now()) < 60_000);
    assert.equal(note.archived, false);
    assert.deepEqual(await api.get("/notes/:id", { params: { id: note.id } }), note);

    const page = await api.get("/notes", { query: { pageSize: 5 } });
    assert.deepEqual(page.data, [
      { id: note.id, title: note.title, archived: false, createdAt: note.createdAt },
    ]);
    const changed = await api.put("/notes/:id", { params: { id: note.id }, body: { archived: true } });
    assert.deepEqual(changed, { ...note, archived: true, updatedAt: changed.updatedAt });
    assert.equal(await api.delete("/notes/:id", { params: { id: note.id } }), undefined);

    const gone = await api.get("/notes/:id", { params: { id: note.id } }).result();
    assert.ok(!gone.ok && gone.error.code === "NOTE_NOT_FOUND" && gone.error.status === 404);
  });

  test("gets the error code and message of a failed request", async () => {
    const api = createNotes({ baseUrl: app.url });
    await assert.rejects(
      api.get("/notes"),
      (error) => isApiError(error, "UNAUTHORIZED") && error.status === 401,
    );
    const refused = await api
      .post("/notes", { body: { title: "", content: "" }, headers: { authorization: "Bearer ada" } })
      .result();
    assert.ok(!refused.ok && refused.error.code === "VALIDATION_ERROR");
    assert.deepEqual(
      refused.error.details?.fields.map(({ path }) => path),
      ["$.title"],
    );
  });
});

describe("the client of the teams example", () => {
  let project: Project;
  let app: RunningApp;
  before(async () => {
    project = await Project.ready("teams");
    app = await project.start();
  });
  after(() => project?.remove());

  test("accepts requests without optional properties, and distinguishes errors by their codes", async () => {
    const api = createTeams<TeamRoutes>({ baseUrl: app.url, headers: await credentials() });
    const ada = await api.post("/users", { body: { email: "ada@example.com", displayName: "Ada" } });
    assert.equal(ada.status, "active");
    const team = await api.post("/teams", { body: { name: "Analysts", capacity: 1 } });
    const members = { params: { id: team.id }, body: { userId: ada.id } };
    const joined = await api.post("/teams/:id/members", members);
    assert.ok(joined.joinedAt instanceof Date);
    const fetched = await api.get("/teams/:id", { params: { id: team.id } });
    assert.deepEqual(fetched.members[0]?.joinedAt, joined.joinedAt);
    assert.ok(fetched.createdAt instanceof Date);

    const again = await api.post("/teams/:id/members", members).result();
    assert.ok(!again.ok);
    switch (again.error.code) {
      case "ALREADY_MEMBER":
        assert.equal(again.error.status, 409);
        break;
      case "TEAM_FULL":
      case "TEAM_NOT_FOUND":
      case "USER_NOT_FOUND":
      default:
        assert.fail(again.error.code);
    }
    const guest = createTeams({ baseUrl: app.url, headers: await credentials("guest") });
    const refused = await guest.post("/teams", { body: { name: "Analysts" } }).result();
    assert.ok(!refused.ok && refused.error.code === "INSUFFICIENT_SCOPE");
    assert.deepEqual(refused.error.details?.missingScopes, [["teams:write"]]);
    const users = await api.get("/users", { query: { status: "active", page: 1 } });
    assert.equal(users.pagination.total, 1);
    assert.deepEqual(await api.get("/todos", { query: { completed: false, userId: ada.id } }), {
      data: [],
      pagination: { total: 0, page: 1, pageSize: 20, totalPages: 0 },
    });
  });
});

/** Starts a server for a page, with the API under `/api`, and the client as JavaScript whose types were removed. */
async function siteOf(app: RunningApp): Promise<Server> {
  const page = `<!doctype html><script type="importmap">{ "imports": { "@kit/client": "/packages/client/src/index.ts" } }</script>`;
  const site = createServer((incoming, outgoing) => {
    const url = incoming.url ?? "";
    if (url.startsWith("/api/")) {
      const { method, headers } = incoming;
      const passed = request(
        { host: "127.0.0.1", port: app.port, path: url.slice("/api".length), method, headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(outgoing);
        },
      );
      passed.on("error", () => outgoing.destroy());
      incoming.pipe(passed);
    } else if (url.endsWith(".ts")) {
      readFile(join(repository, url), "utf8").then(
        (source) => outgoing.setHeader("content-type", "text/javascript").end(stripTypeScriptTypes(source)),
        () => outgoing.writeHead(404).end(),
      );
    } else {
      outgoing.setHeader("content-type", "text/html").end(page);
    }
  });
  await new Promise<void>((listening) => site.listen(0, "127.0.0.1", listening));
  return site;
}

/** Opens a page with the API of an example, and returns the result of a script in it. */
async function inBrowser(example: Example, script: string): Promise<unknown> {
  const project = await Project.ready(example);
  const app = await project.start();
  const site = await siteOf(app);
  // No sandbox, because root cannot use it.
  const browser = await chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    return await page.evaluate(`(async () => {
      const { createClient } = await import("/examples/${example}/.kit/client/index.ts");
      ${script}
    })()`);
  } finally {
    await browser.close();
    site.closeAllConnections();
    site.close();
    await project.remove();
  }
}

test("the client of the notes example works in a browser", { skip: withoutChromium }, async () => {
  const result = await inBrowser(
    "notes",
    `const api = createClient({ baseUrl: "/api", headers: { authorization: "Bearer ada:user" } });
    const note = await api.post("/notes", { body: { title: "Grüße", content: "Milk" } });
    const gone = await api.get("/notes/:id", { params: { id: "a/b" } }).result();
    const { data } = await api.get("/notes", { query: { page: 1 } });
    return {
      isDate: note.createdAt instanceof Date,
      title: data[0].title,
      error: [gone.error.code, gone.error.status, gone.error.traceId.length],
    };`,
  );
  assert.deepEqual(result, { isDate: true, title: "Grüße", error: ["NOTE_NOT_FOUND", 404, 32] });
});

test("the client of the teams example works in a browser", { skip: withoutChromium }, async () => {
  const result = await inBrowser(
    "teams",
    `const api = createClient({ baseUrl: "/api", headers: ${JSON.stringify(await credentials())} });
    const ada = await api.post("/users", { body: { email: "ada@example.com", displayName: "Ada" } });
    const again = await api.post("/users", { body: { email: "ada@example.com", displayName: "Ada" } }).result();
    const team = await api.post("/teams", { body: { name: "Analysts" } });
    const joined = await api.post("/teams/:id/members", { params: { id: team.id }, body: { userId: ada.id, role: "lead" } });
    const fetched = await api.get("/teams/:id", { params: { id: team.id } });
    const users = await api.get("/users", { query: { status: "active" } });
    const left = await api.delete("/teams/:id/members/:userId", { params: { id: team.id, userId: ada.id } });
    const wrong = await api.post("/teams", { body: { name: "", capacity: 0 } }).result();
    return {
      filledIn: [ada.status, team.capacity],
      dates: [joined.joinedAt instanceof Date, fetched.members[0].joinedAt instanceof Date],
      members: fetched.members.map(({ displayName, role }) => [displayName, role]),
      total: users.pagination.total,
      left: left === undefined,
      conflict: [again.error.code, again.error.status],
      wrong: wrong.error.details.fields.map(({ path }) => path),
    };`,
  );
  assert.deepEqual(result, {
    filledIn: ["active", 10],
    dates: [true, true],
    members: [["Ada", "lead"]],
    total: 1,
    left: true,
    conflict: ["USER_EMAIL_CONFLICT", 409],
    wrong: ["$.name", "$.capacity"],
  });
});
