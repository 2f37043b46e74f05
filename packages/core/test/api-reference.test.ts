import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";

import { type AppOptions, createApp } from "@kit/core";
import { findApiDocs } from "../src/app/find-api-docs.ts";
import { acceptsGzip } from "../src/request/api-reference.ts";
import { compiled, responseOf, route } from "./support/compiled.ts";
import { type MemoryResponse, MemoryServer } from "./support/memory-server.ts";
import { errorOf, serve } from "./support/serve.ts";

const viewer = new URL("../../api-docs/viewer/standalone.js.gz", import.meta.url);
const skip = existsSync(viewer) ? false : "the viewer is not there: cargo xtask viewer";
const text = responseOf("Text", { text: "string" });
const wildcard = [route("GET /*rest", { response: text }), () => ({ text: "mine" })] as const;

const headerOf = ({ headers }: MemoryResponse, name: string): string | undefined => {
  const at = headers.indexOf(name);
  return at === -1 ? undefined : headers[at + 1];
};

const asyncapi = (): Promise<string> => Promise.resolve('{"asyncapi":"3.0.0"}');
const openapi = (): Promise<string> => Promise.reject(new Error("it is gone"));
const newer = (): Promise<unknown> => Promise.resolve({ apiDocs: { version: 2 } });
const missing = (name: string): (() => Promise<never>) => {
  const error = new Error(`Cannot find package '${name}' imported from /app`);
  return () => Promise.reject(Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" }));
};

const linksOf = async (path: string, target: string): Promise<readonly string[]> => {
  const { send } = await serve([], { docs: { path } });
  const html = (await send(`GET ${target}`)).text!;
  const links = [/src="(\S+viewer\.js)"/, /data-document="(\S+)"/, /data-root="(\S+)"/];
  const base = `http://host/prefix${target}`;
  return links.map((link) => new URL(link.exec(html)![1]!, base).pathname);
};
const at = (path: string): readonly string[] => [
  `/prefix${path}/viewer.js`,
  `/prefix${path}/openapi.json`,
  "/prefix/",
];

describe("the API reference", () => {
  it("is served outside of production, with precedence over path parameters", { skip }, async () => {
    for (const env of ["development", "test"] as const) {
      const { send } = await serve([wildcard], { env });
      const page = await send("GET /docs");
      assert.equal(page.status, 200);
      assert.equal(page.contentType, "text/html; charset=utf-8");
      assert.match(page.text!, /<script src="docs\/viewer\.js">/);
      assert.match(headerOf(page, "content-security-policy")!, /script-src 'self';.*connect-src 'self'/);
      assert.equal((await send("GET /docsx")).text, '{"text":"mine"}');
      assert.equal((await send("GET /docs/other")).text, '{"text":"mine"}');
    }
    const production = await serve([wildcard], { env: "production" });
    assert.equal((await production.send("GET /docs")).text, '{"text":"mine"}');
  });

  it("links to the AsyncAPI document only if the application has one", { skip }, async () => {
    const withMessages = await serve([wildcard], {
      env: "test",
      compiled: { ...compiled(wildcard[0]), asyncapi },
    });
    assert.match((await withMessages.send("GET /docs")).text!, /<a href="docs\/asyncapi\.json"/);
    for (const path of ["/docs/asyncapi.json", "/asyncapi.json", "/asyncapi.json/"]) {
      const { text: document, contentType } = await withMessages.send(`GET ${path}`);
      assert.deepEqual([document, contentType], ['{"asyncapi":"3.0.0"}', "application/json"], path);
    }
    assert.equal(errorOf(await withMessages.send("POST /asyncapi.json"))["code"], "METHOD_NOT_ALLOWED");
    const without = await serve([wildcard], { env: "test" });
    assert.doesNotMatch((await without.send("GET /docs")).text!, /asyncapi/);
    assert.equal((await without.send("GET /asyncapi.json")).text, '{"text":"mine"}');
    const production = await serve([wildcard], {
      env: "production",
      compiled: { ...compiled(wildcard[0]), asyncapi },
    });
    assert.equal((await production.send("GET /asyncapi.json")).text, '{"text":"mine"}');
    const [own] = [route("GET /asyncapi.json", { response: text })];
    const taken = await serve([[own, () => ({ text: "own" })]], {
      env: "test",
      compiled: { ...compiled(own), asyncapi },
    });
    assert.equal((await taken.send("GET /asyncapi.json")).text, '{"text":"own"}');
    assert.equal((await taken.send("GET /openapi.json")).status, 200);
  });

  it("can be disabled in development, and enabled in production", { skip }, async () => {
    const off = await serve([], { env: "development", docs: false });
    assert.equal(errorOf(await off.send("GET /docs"))["code"], "NOT_FOUND");
    const on = await serve([], { docs: true });
    assert.equal((await on.send("GET /docs")).status, 200);
    const document = await on.send("GET /docs/openapi.json");
    assert.deepEqual([document.contentType, document.text], ["application/json", '{"openapi":"3.1.0"}']);
    assert.equal((await on.send("GET /openapi.json")).status, 404);
  });

  it("has relative links, which work behind a proxy with any path prefix", { skip }, async () => {
    assert.deepEqual(await linksOf("/docs", "/docs"), at("/docs"));
    assert.deepEqual(await linksOf("/docs", "/docs/"), at("/docs"));
    assert.deepEqual(await linksOf("/docs", "/docs?a=/b/c"), at("/docs"));
    assert.deepEqual(await linksOf("/-/api/reference", "/-/api/reference"), at("/-/api/reference"));
    assert.deepEqual(await linksOf("/-/api/reference", "/-/api/reference/"), at("/-/api/reference"));
  });

  it(
    "sends gzip if the client accepts it, and 304 if the client has the current version",
    { skip },
    async () => {
      const { send } = await serve([], { docs: true });
      const headers = { "accept-encoding": "gzip, br" };
      const packed = await send("GET /docs/viewer.js", { headers });
      assert.equal(headerOf(packed, "content-encoding"), "gzip");
      assert.equal(headerOf(packed, "vary"), "accept-encoding");
      assert.equal(headerOf(packed, "cache-control"), "no-cache");
      const plain = await send("GET /docs/viewer.js");
      assert.equal(headerOf(plain, "content-encoding"), undefined);
      assert.match(plain.text!, /createApiReference/);
      assert.notEqual(headerOf(plain, "etag"), headerOf(packed, "etag"));
      for (const path of ["/docs", "/docs/viewer.js", "/docs/start.js", "/docs/openapi.json"]) {
        const first = await send(`GET ${path}`, { headers });
        const tag = headerOf(first, "etag")!;
        for (const known of [tag, `"other", W/${tag}`, "*"]) {
          const again = await send(`GET ${path}`, { headers: { ...headers, "if-none-match": known } });
          assert.deepEqual([again.status, again.text], [304, null], path);
          assert.equal(headerOf(again, "etag"), tag);
        }
        const changed = await send(`GET ${path}`, { headers: { ...headers, "if-none-match": '"other"' } });
        assert.equal(changed.status, 200);
        assert.equal((await send(`HEAD ${path}`, { headers })).status, 200);
        assert.deepEqual((await send(`POST ${path}`)).headers, ["allow", "GET, HEAD"]);
      }
    },
  );

  it("is sent compressed only if accept-encoding allows gzip", () => {
    const takes = ["gzip", "br, GZIP;q=0.5", "*", "gzip;q=0.001", "*;q=0, gzip"];
    const refuses = [undefined, "", "br", "gzip;q=0", "gzip; q=0.000", "*, gzip;q=0", "x-gzip"];
    assert.deepEqual(
      takes.map(acceptsGzip),
      takes.map(() => true),
    );
    assert.deepEqual(
      refuses.map(acceptsGzip),
      refuses.map(() => false),
    );
  });

  it("is not served if the application has a route at the path of one of its files", async () => {
    for (const path of ["/docs", "/docs/openapi.json"]) {
      const own = [route(`GET ${path}`, { response: text }), () => ({ text: "mine" })] as const;
      const { send } = await serve([own], { env: "development" });
      assert.equal((await send(`GET ${path}`)).text, '{"text":"mine"}');
      assert.equal((await send("GET /docs/viewer.js")).status, 404);
    }
  });

  it("responds with 500 if the OpenAPI document cannot be read", async () => {
    const { send } = await serve([], { docs: true, compiled: { ...compiled(), openapi } });
    assert.equal((await send("GET /docs/openapi.json")).status, 500);
  });

  it("requires the package @kit/api-docs only if the option docs is set", async () => {
    assert.equal(await findApiDocs(false, missing("@kit/api-docs")), null);
    await assert.rejects(
      findApiDocs(true, missing("@kit/api-docs")),
      /`docs` needs the package @kit\/api-docs, which is not installed; run `npm install @kit\/api-docs`/,
    );
    await assert.rejects(findApiDocs(false, missing("other")), /@kit\/api-docs could not be loaded/);
    await assert.rejects(
      findApiDocs(false, newer),
      /install the same version of @kit\/api-docs and @kit\/core/,
    );
  });

  it("refuses invalid values of the option docs", () => {
    const bad: [unknown, RegExp][] = [
      ["/docs", /`docs` must be true, false or an object/],
      [null, /`docs` must be true, false or an object/],
      [{ pth: "/x" }, /no option `docs\.pth`/],
      [{ path: "docs" }, /`docs\.path` must be a path such as \/docs/],
      [{ path: "/docs/" }, /`docs\.path` must be a path such as \/docs/],
      [{ path: "/openapi.json" }, /the path of the OpenAPI document/],
      [{ path: "/readyz" }, /the path of `health\.ready`/],
    ];
    for (const [docs, message] of bad) {
      const options = { server: new MemoryServer(), routes: [], health: true, docs };
      assert.throws(() => createApp(options as unknown as AppOptions), message);
    }
  });
});
