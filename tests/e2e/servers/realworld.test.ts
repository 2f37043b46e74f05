// Tests the RealWorld example: its error format, access with and without a token, and the relations between its tables. The RealWorld
// project's own tests run too, if they are on the machine. They are not in this repository: https://github.com/realworld-apps/realworld,
// directory `specs/api/hurl`.

import assert from "node:assert/strict";
import { cp, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Answer, Api } from "../support/api.ts";
import { run } from "../support/command.ts";
import { Project, repository } from "../support/project.ts";
import type { RunningApp } from "../support/running-app.ts";
import { rustProgramOf, server } from "../support/server.ts";

interface Errors {
  errors: Record<string, string[]>;
}

interface User {
  username: string;
  email: string;
  bio: string | null;
  token: string;
}

interface Article {
  slug: string;
  title: string;
  tagList: string[];
  favorited: boolean;
  favoritesCount: number;
  author: { username: string; following: boolean };
  body?: string;
}

interface Page {
  articles: Article[];
  articlesCount: number;
}

let project: Project;
let app: RunningApp;
let anyone: Api;

before(async () => {
  project = await Project.ready("realworld");
  app = await project.start();
  anyone = app.with({});
});
after(() => project?.remove());

let people = 0;

/** Creates an account. Returns it and a client with its token. */
async function member(): Promise<{ user: User; api: Api }> {
  people += 1;
  const username = `person${people}`;
  const body = { user: { username, email: `${username}@example.com`, password: "secret" } };
  const answer = await anyone.post<{ user: User }>("/api/users", body);
  assert.equal(answer.status, 201, answer.text);
  const { user } = answer.body;
  return { user, api: app.with({ authorization: `Bearer ${user.token}` }) };
}

async function publish(api: Api, title: string, tagList: string[] = []): Promise<Article> {
  const article = { title, description: "About it", body: "Text", tagList };
  const answer = await api.post<{ article: Article }>("/api/articles", { article });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.article;
}

function assertRefused(answer: Answer<unknown>, status: number, errors: Record<string, string[]>): void {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(answer.body, { errors } satisfies Errors);
}

describe("errors have the format of the application", () => {
  test("422 names the invalid fields", async () => {
    const user = { username: "", email: "", password: "" };
    assertRefused(await anyone.post("/api/users", { user }), 422, {
      username: ["can't be blank"],
      email: ["can't be blank"],
      password: ["can't be blank"],
    });
  });

  test("401, 403, 404 and 409 name the part of the request that caused the error", async () => {
    const [{ user, api }, other] = [await member(), await member()];
    const { slug } = await publish(api, "Mine");
    assertRefused(await anyone.get("/api/user"), 401, { token: ["is missing"] });
    assertRefused(await other.api.delete(`/api/articles/${slug}`), 403, { article: ["forbidden"] });
    assertRefused(await anyone.get("/api/articles/none"), 404, { article: ["not found"] });
    assertRefused(await anyone.get("/api/profiles/nobody"), 404, { profile: ["not found"] });
    const again = { username: user.username, email: "other@example.com", password: "secret" };
    assertRefused(await anyone.post("/api/users", { user: again }), 409, {
      username: ["has already been taken"],
    });
    const login = { email: user.email, password: "wrong" };
    assertRefused(await anyone.post("/api/users/login", { user: login }), 401, { credentials: ["invalid"] });
  });

  test("errors of the router and of the HTTP server have the format too", async () => {
    const answer = await anyone.get<Errors>("/nowhere");
    assert.equal(answer.status, 404);
    assert.deepEqual(Object.keys(answer.body), ["errors"]);
    const large = await anyone.post<Errors>("/api/users", { user: "a".repeat(1024 * 1024) });
    assert.equal(large.status, 413);
    assert.deepEqual(Object.keys(large.body), ["errors"]);
  });
});

describe("articles", () => {
  test("are listed without their text, newest first, by author, tag and like", async () => {
    const { user, api } = await member();
    const reader = await member();
    const first = await publish(api, "First", ["red", "blue"]);
    const second = await publish(api, "Second");
    await reader.api.post(`/api/articles/${first.slug}/favorite`, undefined);
    const slugs = async (query: string): Promise<string[]> => {
      const { body } = await anyone.get<Page>(`/api/articles?author=${user.username}&${query}`);
      assert.equal(body.articlesCount >= body.articles.length, true);
      assert.equal(
        body.articles.some((article) => "body" in article),
        false,
      );
      return body.articles.map(({ slug }) => slug);
    };
    assert.deepEqual(await slugs(""), [second.slug, first.slug]);
    assert.deepEqual(await slugs("limit=1&offset=1"), [first.slug]);
    assert.deepEqual(await slugs("tag=blue"), [first.slug]);
    assert.deepEqual(await slugs(`favorited=${reader.user.username}`), [first.slug]);
  });

  test("contain the likes and followed authors of the user who requests them", async () => {
    const { user, api } = await member();
    const reader = await member();
    const { slug } = await publish(api, "Liked");
    await reader.api.post(`/api/profiles/${user.username}/follow`, undefined);
    await reader.api.post(`/api/articles/${slug}/favorite`, undefined);
    const seenBy = async (by: Api): Promise<Article> =>
      (await by.get<{ article: Article }>(`/api/articles/${slug}`)).body.article;
    const own = await seenBy(reader.api);
    assert.deepEqual([own.favorited, own.favoritesCount, own.author.following], [true, 1, true]);
    const others = await seenBy(anyone);
    assert.deepEqual([others.favorited, others.favoritesCount, others.author.following], [false, 1, false]);
    const { body } = await reader.api.get<Page>("/api/articles/feed");
    assert.deepEqual([body.articlesCount, body.articles.map((one) => one.slug)], [1, [slug]]);
  });

  test("keep their tags if a PUT request does not contain tags, and refuse null as tags", async () => {
    const { api } = await member();
    const { slug } = await publish(api, "Tagged", ["one", "two"]);
    const change = (article: object) => api.put<{ article: Article }>(`/api/articles/${slug}`, { article });
    assert.deepEqual((await change({ body: "New" })).body.article.tagList, ["one", "two"]);
    assert.equal((await change({ tagList: null })).status, 422);
    assert.deepEqual((await change({ tagList: [] })).body.article.tagList, []);
  });
});

test("the schemes Token and Bearer are accepted, and other schemes and forged tokens are refused", async () => {
  const { user } = await member();
  const status = (authorization: string) => app.with({ authorization }).get("/api/user");
  for (const scheme of ["Token", "token", "Bearer"])
    assert.equal((await status(`${scheme} ${user.token}`)).status, 200, scheme);
  assertRefused(await status(`Basic ${user.token}`), 401, { token: ["is missing"] });
  assertRefused(await status(`Token ${user.token}x`), 401, { token: ["is invalid"] });
  // Routes that may be read without a token refuse a token that is not valid.
  const reader = app.with({ authorization: "Token a.b.c" });
  assertRefused(await reader.get("/api/articles"), 401, { token: ["is invalid"] });
});

test("an empty bio becomes null", async () => {
  const { api } = await member();
  const change = async (bio: string | null): Promise<string | null> =>
    (await api.put<{ user: User }>("/api/user", { user: { bio } })).body.user.bio;
  assert.equal(await change("About me"), "About me");
  assert.equal(await change(""), null);
});

test("the hurl files of the RealWorld project pass", async (t) => {
  const directory = process.env["KIT_REALWORLD_HURL"];
  if (!directory) return t.skip("KIT_REALWORLD_HURL does not name the directory of the hurl files");
  const version = await run("hurl", ["--version"], { cwd: project.root }).catch(() => undefined);
  if (version?.code !== 0) return t.skip("hurl is not installed: cargo install hurl");
  const files = (await readdir(directory)).filter((file) => file.endsWith(".hurl")).toSorted();
  assert.ok(files.length > 0, `there are no hurl files in ${directory}`);
  const variables = ["--variable", `host=${app.url}`, "--variable", `uid=${process.pid}`];
  const args = [
    "--test",
    "--no-color",
    "--jobs",
    "1",
    ...variables,
    ...files.map((file) => join(directory, file)),
  ];
  const { code, stderr } = await run("hurl", args, { cwd: project.root, timeout: 120_000 });
  assert.equal(code, 0, stderr);
  assert.match(stderr, new RegExp(`Succeeded files: +${files.length} `));
});

function isSource(path: string): boolean {
  return ![".kit", ".data", "node_modules"].includes(basename(path));
}

// On Node, `kit test` runs these tests.
if (server.program !== undefined) {
  test("the contract tests of the types pass on the Rust server", async (t) => {
    const checked = await Project.empty();
    t.after(() => checked.remove());
    await cp(join(repository, "examples/realworld"), checked.root, { recursive: true, filter: isSource });
    await checked.kitOk("build");
    await cp(join(import.meta.dirname, "../support/rust-app.ts"), join(checked.root, "src/app.ts"));
    const tests = ["--test", "--test-reporter=tap", ".kit/tests/*.contract.test.ts"];
    const env = { RUST_PROGRAM: rustProgramOf("realworld-rust"), NODE_ENV: "test" };
    const { code, stdout } = await run(process.execPath, tests, { cwd: checked.root, env, timeout: 240_000 });
    assert.equal(code, 0, stdout);
    const passed = Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
    assert.ok(passed > 300, `${passed} tests passed`);
  });
}
