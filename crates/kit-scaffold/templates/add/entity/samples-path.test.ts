import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { startApp, type TestApp } from "./support.ts";

/** The JSON form: dates are strings. */
interface SampleJson {
  id: string;
  name: string;
  // <owned>
  userId: string;
  // </owned>
  createdAt: string;
  updatedAt: string;
}

interface SamplePageJson {
  data: SampleJson[];
  pagination: { total: number; page: number; pageSize: number; totalPages: number };
}

async function refused(answer: Response, status: number, code: string): Promise<void> {
  assert.equal(answer.status, status);
  assert.equal(((await answer.json()) as { error: { code: string } }).error.code, code);
}

describe("samples", () => {
  let app: TestApp;
  const user = randomUUID();

  before(async () => {
    app = await startApp();
  });
  after(() => app?.close());

  async function add(name: string): Promise<SampleJson> {
    const answer = await app.ask("POST", "/samples-path", { user, body: { name } });
    assert.equal(answer.status, 201);
    return (await answer.json()) as SampleJson;
  }

  async function list(query: string): Promise<SamplePageJson> {
    const answer = await app.ask("GET", `/samples-path?${query}`, { user });
    assert.equal(answer.status, 200);
    return (await answer.json()) as SamplePageJson;
  }

  test("are added, read, changed and deleted", async () => {
    const added = await add("first");
    assert.equal(added.name, "first");
    assert.ok(Math.abs(Date.parse(added.createdAt) - Date.now()) < 60_000, `${added.createdAt} is not now`);

    const path = `/samples-path/${added.id}`;
    assert.deepEqual(await (await app.ask("GET", path, { user })).json(), added);

    const changed = (await (
      await app.ask("PUT", path, { user, body: { name: "second" } })
    ).json()) as SampleJson;
    assert.deepEqual(changed, { ...added, name: "second", updatedAt: changed.updatedAt });
    assert.ok(changed.updatedAt >= added.updatedAt);

    assert.equal((await app.ask("DELETE", path, { user })).status, 204);
    for (const method of ["GET", "DELETE"]) {
      await refused(await app.ask(method, path, { user }), 404, "SAMPLE_NOT_FOUND");
    }
    await refused(await app.ask("PUT", path, { user, body: {} }), 404, "SAMPLE_NOT_FOUND");
  });

  test("are listed a page at a time, newest first", async () => {
    const older = await add("older");
    const newer = await add("newer");
    // Other tests of this file may have added some.
    const { data, pagination } = await list("pageSize=100");
    const own = data.map(({ id }) => id).filter((id) => id === older.id || id === newer.id);
    assert.deepEqual(own, [newer.id, older.id]);
    assert.equal(pagination.totalPages, Math.ceil(pagination.total / 100));
    const second = await list("page=2&pageSize=1");
    assert.equal(second.data.length, 1);
    assert.deepEqual([second.pagination.page, second.pagination.pageSize], [2, 1]);
    assert.ok(second.pagination.total >= 2);
  });

  // <owned>
  test("are accessible only to their user", async () => {
    const other = randomUUID();
    const own = await add("own");
    assert.equal(own.userId, user);
    const path = `/samples-path/${own.id}`;
    for (const method of ["GET", "DELETE"]) {
      await refused(await app.ask(method, path, { user: other }), 404, "SAMPLE_NOT_FOUND");
    }
    const body = { name: "theirs" };
    await refused(await app.ask("PUT", path, { user: other, body }), 404, "SAMPLE_NOT_FOUND");
    const page = (await (await app.ask("GET", "/samples-path", { user: other })).json()) as SamplePageJson;
    assert.deepEqual([page.data, page.pagination.total], [[], 0]);
    assert.deepEqual(await (await app.ask("GET", path, { user })).json(), own);
  });
  // </owned>

  test("are refused if they do not match the types", async () => {
    for (const body of [{}, { name: "" }, { name: "x".repeat(201) }, { name: 1 }]) {
      await refused(await app.ask("POST", "/samples-path", { user, body }), 400, "VALIDATION_ERROR");
    }
    await refused(await app.ask("GET", "/samples-path?pageSize=0", { user }), 400, "VALIDATION_ERROR");
    await refused(await app.ask("GET", "/samples-path/nothing", { user }), 400, "VALIDATION_ERROR");
    // <owned>
    await refused(await app.ask("GET", "/samples-path"), 401, "UNAUTHORIZED");
    // </owned>
  });
});
