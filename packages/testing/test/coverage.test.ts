import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { explain, type Shape } from "@kit/core/codec";
import type { CompiledApplication } from "@kit/types";

import { treeOf } from "../../core/test/support/compiled.ts";
import type { createTestClient as CreateTestClient } from "../src/client.ts";
import type { ContractParts } from "../src/coverage/contracts.ts";
import { type Item, idOf, itemsOf } from "../src/coverage/items.ts";
import { Observer } from "../src/coverage/observe.ts";
import type { TestResponse } from "../src/test-response.ts";

const uuid: Shape = { kind: "string", format: "uuid" };
const text: Shape = { kind: "string", minLength: 1, maxLength: 3 };

/** Returns the contract of a route whose body has the given type and that declares the given errors. */
function contract(body: Shape, errors: readonly string[] = []): ContractParts {
  return { route: "POST /notes", successes: [201], errors, body };
}

function object(properties: Readonly<Record<string, Shape>>, ...optional: readonly string[]): Shape {
  return {
    kind: "object",
    properties: Object.entries(properties).map(([key, shape]) =>
      optional.includes(key) ? { key, shape, optional: "always" } : { key, shape },
    ),
  };
}

/** Returns an application with the properties that the observer reads. `explain` replaces the generated validators. */
function compiled(...contracts: readonly ContractParts[]): CompiledApplication {
  const routes = contracts.map(({ route, params, query }) => {
    const [method = "", path = ""] = route.split(" ");
    const names = path.split("/").flatMap((part) => (/^[:*]/.test(part) ? [part.slice(1)] : []));
    return {
      ref: route,
      method,
      path,
      params: params && {
        params: (values: string[]) => Object.fromEntries(names.map((name, at) => [name, values[at]])),
      },
      query: query && {
        query: (raw: string) => {
          const all = new URLSearchParams(raw);
          const value = (key: string): unknown =>
            all.getAll(key).length > 1 ? all.getAll(key) : all.get(key);
          return Object.fromEntries([...new Set(all.keys())].map((key) => [key, value(key)]));
        },
      },
    };
  });
  return { routes, tree: treeOf(contracts.map(({ route }) => route)) } as unknown as CompiledApplication;
}

function answer(status: number, body: unknown): TestResponse {
  return { status, body, text: JSON.stringify(body), headers: new Headers() };
}

/** Returns the response that a validator for this type would cause. */
function judged(shape: Shape, value: unknown): TestResponse {
  const fields = explain(shape, value, "wire");
  return fields.length === 0
    ? answer(201, {})
    : answer(400, { error: { code: "VALIDATION_ERROR", message: "no", details: { fields } } });
}

function lineOf({ kind, slot, path, what }: Item): string {
  return [kind, slot, path, what].filter((part) => part !== undefined).join(" ");
}

/** Returns the items of the given kinds that requests with these bodies cover together. */
function coveredBy(body: Shape, values: readonly unknown[], ...kinds: readonly Item["kind"][]): string[] {
  const parts = contract(body);
  const observer = new Observer({ application: compiled(parts), routes: [parts] });
  const ids = new Set(
    values.flatMap((value) =>
      observer.see(
        { method: "POST", target: "/notes", body: JSON.stringify(value) },
        judged(body, JSON.parse(JSON.stringify(value))),
      ),
    ),
  );
  const items = itemsOf({ routes: [parts] }).filter(({ kind }) => kinds.includes(kind));
  return items.filter((item) => ids.has(idOf(item))).map(lineOf);
}

function declared(parts: ContractParts, ...kinds: readonly Item["kind"][]): string[] {
  return itemsOf({ routes: [parts] })
    .filter(({ kind }) => kinds.includes(kind))
    .map(lineOf);
}

test("counts each format of a union, and the rules of its JSON value", () => {
  const note = object({ title: text });
  const parts: ContractParts = {
    route: "POST /notes",
    successes: [201],
    errors: [],
    formats: [
      { format: "json", types: ["application/json"], value: note },
      { format: "text", types: ["text/csv"] },
      { format: "bytes", types: ["image/*"] },
    ],
  };
  const formats = ["application/json", "text/csv", "image/*"].map((type) => `field body $ format ${type}`);
  assert.deepEqual(declared(parts, "field"), [...formats, "field body $.title"]);
  assert.ok(declared(parts, "rule").includes("rule body $.title maxLength 3"));
  const observer = new Observer({ application: compiled(parts), routes: [parts] });
  const seen = (type: string, body: string, answered: TestResponse): string[] => {
    const headers = { "content-type": type };
    const ids = observer.see({ method: "POST", target: "/notes", headers, body }, answered);
    const items = itemsOf({ routes: [parts] }).filter((item) => ids.includes(idOf(item)));
    return items.filter(({ slot }) => slot === "body").map(lineOf);
  };
  assert.deepEqual(seen("text/csv; charset=utf-8", "a,b", answer(201, {})), [formats[1]]);
  assert.deepEqual(seen("image/png", "x", answer(201, {})), [formats[2]]);
  assert.deepEqual(seen("text/csv", "a,b", answer(415, {})), []);
  const json = seen("application/vnd.notes+json", '{"title":"abc"}', judged(note, { title: "abc" }));
  assert.deepEqual(json.slice(0, 3), [formats[0], "field body $.title", "bound body $.title maxLength 3"]);
  assert.deepEqual(seen("application/json", '{"title":"abcd"}', judged(note, { title: "abcd" })), [
    "rule body $.title maxLength 3",
  ]);
});

test("lists every rule that a body can break, and every bound that it can reach", () => {
  const list: Shape = { kind: "array", element: text, maxItems: 2, uniqueItems: true };
  const number: Shape = { kind: "number", integer: true, minimum: 0, exclusiveMaximum: 9 };
  const parts = contract(object({ id: uuid, list, number }, "number"), ["409 TAKEN"]);
  assert.deepEqual(declared(parts, "route", "answer", "field"), [
    "route",
    "answer 201",
    "answer 400 VALIDATION_ERROR",
    "answer 413 PAYLOAD_TOO_LARGE",
    "answer 415 UNSUPPORTED_MEDIA_TYPE",
    "answer 409 TAKEN",
    "field body $.id",
    "field body $.list",
    "field body $.number",
  ]);
  assert.deepEqual(declared(parts, "rule"), [
    "rule body $ JSON",
    "rule body $ required",
    "rule body $ null",
    "rule body $ type object",
    "rule body $.id required",
    "rule body $.id null",
    "rule body $.id type string",
    "rule body $.id format uuid",
    "rule body $.list required",
    "rule body $.list null",
    "rule body $.list type array",
    "rule body $.list maxItems 2",
    "rule body $.list uniqueItems",
    "rule body $.list[] null",
    "rule body $.list[] type string",
    "rule body $.list[] minLength 1",
    "rule body $.list[] maxLength 3",
    "rule body $.number null",
    "rule body $.number type number",
    "rule body $.number integer",
    "rule body $.number minimum 0",
    "rule body $.number exclusiveMaximum 9",
  ]);
  assert.deepEqual(declared(parts, "bound"), [
    "bound body $.list maxItems 2",
    "bound body $.list[] minLength 1",
    "bound body $.list[] maxLength 3",
    "bound body $.number minimum 0",
  ]);
});

test("lists no rule that a path or query cannot break", () => {
  const parts: ContractParts = {
    route: "GET /notes/:id",
    successes: [200],
    errors: [],
    params: object({ id: text }),
    query: object({ tag: { kind: "array", element: text, minItems: 1 }, q: { kind: "string" } }, "q"),
  };
  assert.deepEqual(declared(parts, "rule"), [
    "rule params $.id maxLength 3",
    "rule query $.tag required",
    "rule query $.tag[] minLength 1",
    "rule query $.tag[] maxLength 3",
    "rule query $.q type string",
  ]);
  const plain: ContractParts = { ...parts, params: object({ id: { kind: "string" } }) };
  delete (plain as { query?: Shape }).query;
  assert.deepEqual(declared(plain, "answer", "rule"), ["answer 200"], "it can never be refused");
  assert.deepEqual(itemsOf({ routes: [{ ...parts, skipped: true }] }), []);
});

test("an invalid request covers a rule if the value breaks only this rule and the response reports the path of the value", () => {
  const body = object({ title: text, count: { kind: "number", integer: true, minimum: 1 } });
  const whole = { title: "abc", count: 1 };
  assert.deepEqual(coveredBy(body, [{ ...whole, title: "abcd" }], "rule", "field", "bound"), [
    "rule body $.title maxLength 3",
  ]);
  assert.deepEqual(coveredBy(body, [{ ...whole, title: null }, { ...whole, count: "1" }, {}], "rule"), [
    "rule body $.title required",
    "rule body $.title null",
    "rule body $.count required",
    "rule body $.count type number",
  ]);
  assert.deepEqual(
    coveredBy(body, [{ ...whole, count: -0.5 }], "rule"),
    [],
    "of two broken rules nobody knows which",
  );
  assert.deepEqual(coveredBy(body, [null, []], "rule"), ["rule body $ null", "rule body $ type object"]);

  const observer = new Observer({ application: compiled(contract(body)), routes: [contract(body)] });
  const see = (sent: string, paths: readonly string[]): string[] =>
    observer
      .see(
        { method: "POST", target: "/notes", body: sent },
        answer(400, {
          error: {
            code: "VALIDATION_ERROR",
            details: { fields: paths.map((path) => ({ path, expected: "", rule: "type" })) },
          },
        }),
      )
      .filter((id) => id.startsWith("rule"));
  assert.deepEqual(
    see('{ "title": "abcd", "count": 1 }', ["$.count"]),
    [],
    "it was refused for something else",
  );
  assert.deepEqual(see("{", ["$"]).length, 1, "no JSON");
  assert.deepEqual(see("", ["$"]).length, 1, "no body");
});

test("a valid request covers the fields, bounds and union members of its values", () => {
  const status: Shape = {
    kind: "union",
    members: [{ kind: "literal", value: "open" }, { kind: "literal", value: "done" }, { kind: "null" }],
  };
  const body = object({ title: text, status }, "status");
  assert.deepEqual(coveredBy(body, [{ title: "ab" }], "route", "field", "bound", "member"), [
    "route",
    "field body $.title",
  ]);
  assert.deepEqual(
    coveredBy(
      body,
      [
        { title: "a", status: "done" },
        { title: "é🙂é", status: "what" },
      ],
      "bound",
      "member",
    ),
    ["bound body $.title minLength 1", 'member body $.status "done"'],
  );
  assert.deepEqual(coveredBy(body, [{ title: "é🙂é" }], "bound"), ["bound body $.title maxLength 3"]);
  assert.deepEqual(coveredBy(body, [{ title: "a", status: "what" }], "rule"), [
    'rule body $.status enum: "open", "done" or null',
  ]);
});

test("counts the rules of each member of a union; a wrong discriminant breaks the rule of the whole union", () => {
  const circle = object({
    kind: { kind: "literal", value: "circle" },
    radius: { kind: "number", minimum: 0 },
  });
  const square = object({ kind: { kind: "literal", value: "square" }, side: { kind: "number" } });
  const body: Shape = { kind: "union", members: [circle, square], discriminants: ["kind"] };
  const whole = declared(contract(body), "rule").find((rule) => rule.includes("enum"));
  assert.deepEqual(coveredBy(body, [{ kind: "circle", radius: -1 }], "rule"), [
    "rule body $.radius minimum 0",
  ]);
  assert.deepEqual(coveredBy(body, [{ kind: "square" }], "rule"), ["rule body $.side required"]);
  assert.deepEqual(coveredBy(body, [{ kind: "hexagon", side: 1 }], "rule"), [whole]);
  assert.deepEqual(coveredBy(body, [{ kind: "circle", radius: 0 }], "field", "bound"), [
    "field body $.kind",
    "field body $.radius",
    "bound body $.radius minimum 0",
  ]);
  const mixed = object({ of: { kind: "union", members: [text, { kind: "number" }] } });
  assert.deepEqual(coveredBy(mixed, [{ of: "abcd" }], "rule").slice(-1), ["rule body $.of maxLength 3"]);
});

test("lists each place of a type that contains itself once, for all depths", () => {
  const tree: Shape = object({
    name: text,
    children: { kind: "array", element: { kind: "reference", to: () => tree, recursive: true } },
    parent: {
      kind: "union",
      members: [{ kind: "reference", to: () => tree, recursive: true }, { kind: "null" }],
    },
  });
  const parts = declared(contract(tree), "field", "rule");
  assert.ok(parts.includes("rule body $ nesting"), parts.join("\n"));
  assert.deepEqual(
    parts.filter((item) => item.startsWith("field")),
    ["field body $.name", "field body $.children", "field body $.parent"],
  );
  const leaf = { name: "a", children: [], parent: null };
  const within = (name: string): unknown => ({
    ...leaf,
    name: "abc",
    children: [{ ...leaf, children: [{ ...leaf, name }] }],
  });
  assert.deepEqual(coveredBy(tree, [within("abcd")], "rule"), ["rule body $.name maxLength 3"]);
  let deep: unknown = leaf;
  for (let level = 0; level < 300; level += 1) deep = { ...leaf, children: [deep] };
  assert.deepEqual(coveredBy(tree, [deep], "rule"), ["rule body $ nesting"]);
});

test("counts a request for its route, however the path is spelled", () => {
  const id = object({ id: text });
  const plain = { successes: [200], errors: [] };
  const routes: ContractParts[] = [
    { route: "GET /caf%C3%A9/:id", params: id, ...plain },
    { route: "GET /a%2Fb", ...plain },
  ];
  const observer = new Observer({ application: compiled(...routes), routes });
  const see = (target: string): string[] =>
    observer.see({ method: "GET", target }, answer(200, {})).map((line) => line.replaceAll("\n", " "));
  const all = see("/caf%C3%A9/abc");
  // The value `abc` reaches the maximum length of three characters.
  assert.ok(all.includes("bound GET /caf%C3%A9/:id params $.id maxLength 3"), all.join("\n"));
  for (const target of ["/caf%c3%a9/%61bc", "/café/abc", "/caf%C3%A9/abc/"])
    assert.deepEqual(see(target), all, target);
  assert.deepEqual(see("/a%2fb?x=1"), see("/a%2Fb"));
  assert.equal(see("/a%2Fb").length, 2);
  // An escaped slash is not a separator. A path with an invalid escape belongs to no route.
  assert.deepEqual([see("/a/b"), see("/caf%C3/abc")], [[], []]);
});

test("counts a request for the route with a literal segment if a route with a parameter matches too", () => {
  const id = object({ id: { kind: "string" } });
  const plain = { successes: [200], errors: [] };
  const routes: ContractParts[] = [
    { route: "GET /notes/:id", params: id, ...plain },
    { route: "GET /notes/new", ...plain },
    { route: "GET /files/*path", ...plain },
  ];
  const observer = new Observer({ application: compiled(...routes), routes });
  const see = (method: string, target: string): string | undefined =>
    observer.see({ method, target }, answer(200, {}))[0]?.split("\n")[1];
  assert.equal(see("GET", "/notes/new"), "GET /notes/new");
  assert.equal(see("HEAD", "/notes/a%2Fb?x=1"), "GET /notes/:id");
  assert.equal(see("GET", "/files/a/b"), "GET /files/*path");
  assert.equal(see("POST", "/notes/new"), undefined);
  assert.equal(see("GET", "/notes/a/b"), undefined);
});

test("each process writes the items that its requests cover if kit test requests coverage", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "kit-coverage-"));
  t.after(() => rm(directory, { recursive: true }));
  const module = join(directory, "contracts.mjs");
  await writeFile(
    module,
    `const routes = [{ route: "GET /notes", successes: [200], errors: [] }, { route: "GET /other", successes: [200], errors: [] }];
const tree = ${JSON.stringify(treeOf(["GET /notes", "GET /other"]))};
export default { routes, application: { tree, routes: routes.map(({ route: ref }) => ({ ref, method: "GET", path: ref.slice(4) })) } };`,
  );
  process.env["KIT_TEST_CONTRACTS"] = module;
  process.env["KIT_TEST_SEEN"] = directory;
  // A process reads the variables only once, when it creates its first client.
  const { createTestClient } = (await import(
    pathToFileURL(join(import.meta.dirname, "../src/client.ts")).href
  )) as { createTestClient: typeof CreateTestClient };
  const server = createServer((_, response) => response.end("{}"));
  const client = await createTestClient({
    listen: () =>
      new Promise((resolve) => {
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo;
          resolve({ port, host: "127.0.0.1", url: `http://127.0.0.1:${port}` });
        });
      }),
    close: async () => void server.close(),
  });
  try {
    await client.request("GET", "/notes");
    await client.request("GET", "/notes", { query: { page: 2 } });
  } finally {
    await client.close();
  }
  const names = await readdir(directory);
  const textOf = async (start: string): Promise<string> =>
    await readFile(join(directory, names.find((name) => name.startsWith(start)) ?? ""), "utf8");
  const items = JSON.parse(await textOf("items.")) as Item[];
  const lines = (await textOf("seen.")).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => items[Number(line)]).map((item) => item && `${item.route} ${item.kind}`),
    ["GET /notes answer", "GET /notes route"],
  );
});

test("counts broken rules by the status if error bodies list no failures", () => {
  const parts: ContractParts = {
    ...contract(object({ name: text, count: { kind: "number", integer: true } })),
    query: object({ page: { kind: "string", minLength: 1 } }),
  };
  const errors = { validationStatus: 422 } as const;
  const observer = new Observer({ application: compiled(parts), routes: [parts], errors });
  const rulesOf = (target: string, body: string, status: number): string[] => {
    const request = { method: "POST", target, body };
    const seen = new Set(observer.see(request, answer(status, { errors: {} })));
    const items = itemsOf({ routes: [parts], errors }).filter(({ kind }) => kind === "rule");
    return items.filter((item) => seen.has(idOf(item))).map(lineOf);
  };
  const long = '{"name":"long name","count":1}';
  assert.deepEqual(rulesOf("/notes?page=1", long, 422), ["rule body $.name maxLength 3"]);
  assert.deepEqual(rulesOf("/notes?page=1", "{", 422), ["rule body $ JSON"]);
  // The body is also invalid, but the server refuses the query first.
  assert.deepEqual(rulesOf("/notes?page=", long, 422), ["rule query $.page minLength 1"]);
  // Another status, or a valid request: the contract has not refused it.
  assert.deepEqual(rulesOf("/notes?page=1", long, 400), []);
  assert.deepEqual(rulesOf("/notes?page=1", '{"name":"abc","count":1}', 422), []);
});
