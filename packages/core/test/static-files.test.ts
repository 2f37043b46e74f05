import assert from "node:assert/strict";
import { mkdir, mkdtemp, open, rename, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { type App, type AppOptions, createApp, type StaticFilesOptions } from "@kit/core";

import { compiled } from "./support/compiled.ts";
import { quietStdout } from "./support/quiet-stdout.ts";

quietStdout();

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "kit-files-"));
  await writeFile(join(root, "a.txt"), "content");
});
after(() => rm(root, { recursive: true }));

function application(options: Partial<AppOptions>): App {
  return createApp({ compiled: compiled(), routes: [], signals: false, ...options });
}

/** Returns the number of descriptors of this process that are open for files below `root`. */
function openFiles(): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(root);
    } catch {
      return false;
    }
  }).length;
}

describe("option staticFiles", () => {
  const invalid: readonly (readonly [given: unknown, message: RegExp])[] = [
    [7, /`staticFiles` must be an object such as/],
    [[{ dir: "" }], /`staticFiles\[0\]\.dir` must be the path of a directory/],
    [{ dir: "a", prefx: "/" }, /no option `staticFiles\.prefx`.*prefix/],
    [{ dir: "a", prefix: "assets" }, /`staticFiles\.prefix` must be a path such as \/assets/],
    [{ dir: "a", prefix: "/assets/" }, /`staticFiles\.prefix` must be a path/],
    [{ dir: "a", spa: "../index.html" }, /`staticFiles\.spa` must be the path of a file/],
    [{ dir: "a", spa: "/index.html" }, /`staticFiles\.spa` must be the path of a file/],
    [{ dir: "a", spaExcept: ["/api"] }, /`staticFiles\.spaExcept` has no effect without/],
    [{ dir: "a", spa: "b", spaExcept: ["api"] }, /`staticFiles\.spaExcept\[0\]` must be a path/],
    [{ dir: "a", dotFiles: "yes" }, /`staticFiles\.dotFiles` must be true or false/],
    [{ dir: "a", cacheControl: "a\nb" }, /`staticFiles\.cacheControl` must be the value of a header/],
    [
      { dir: "a", headers: { "content-type": "a/b" } },
      /`staticFiles\.headers` has content-type, which kit sets/,
    ],
    [{ dir: "a", headers: { "cache-control": "a" } }, /set the option `cacheControl` instead/],
    [{ dir: "a", headers: { "a b": "c" } }, /"a b", which is not a header name/],
  ];
  for (const [given, message] of invalid) {
    test(`refuses ${JSON.stringify(given)}`, () => {
      assert.throws(() => application({ staticFiles: given as StaticFilesOptions }), {
        name: "TypeError",
        message,
      });
    });
  }

  test("refuses to start without the directory", async () => {
    const app = application({ staticFiles: { dir: join(root, "missing") } });
    await assert.rejects(
      app.fetch(new Request("http://a/")),
      /`staticFiles\.dir`: there is no directory .*missing/,
    );
  });

  for (const dir of [".", "..", "/"]) {
    test(`refuses to start with the directory ${dir}, which contains the project`, async () => {
      const app = application({ staticFiles: { dir } });
      await assert.rejects(
        app.fetch(new Request("http://a/")),
        /`staticFiles\.dir`: .* contains the project/,
      );
    });
  }

  test("refuses to start without the page of `spa`", async () => {
    const app = application({ staticFiles: [{ dir: root, spa: "index.html" }] });
    await assert.rejects(app.fetch(new Request("http://a/")), /`staticFiles\[0\]\.spa`: there is no file/);
  });
});

test("a file is not compressed while it is sent", async () => {
  await writeFile(join(root, "long.txt"), "a".repeat(10_000));
  const app = application({ staticFiles: { dir: root }, compression: true, etag: true });
  const response = await app.fetch(
    new Request("http://a/long.txt", { headers: { "accept-encoding": "gzip" } }),
  );
  assert.equal(response.headers.get("content-encoding"), null);
  assert.equal((await response.text()).length, 10_000);
  const range = new Request("http://a/long.txt", {
    headers: { "accept-encoding": "gzip", range: "bytes=0-4999" },
  });
  assert.equal((await (await app.fetch(range)).text()).length, 5000);
});

test("the response for a page of another origin has the headers of CORS", async () => {
  const app = application({ staticFiles: { dir: root }, cors: { origins: ["https://app.example"] } });
  const response = await app.fetch(
    new Request("http://a/a.txt", { headers: { origin: "https://app.example" } }),
  );
  assert.equal(response.headers.get("access-control-allow-origin"), "https://app.example");
  assert.equal(response.headers.get("vary"), "origin");
});

test("a changed file has another entity tag", async () => {
  const app = application({ staticFiles: { dir: root } });
  const tag = async (): Promise<string | null> =>
    (await app.fetch(new Request("http://a/changed.txt"))).headers.get("etag");
  await writeFile(join(root, "changed.txt"), "one");
  await utimes(join(root, "changed.txt"), 1e9, 1e9);
  const first = await tag();
  await writeFile(join(root, "next.txt"), "two");
  await rename(join(root, "next.txt"), join(root, "changed.txt"));
  assert.notEqual(await tag(), first);
});

test("a file that becomes shorter ends the response with an error", async () => {
  const path = join(root, "shrinks.bin");
  const file = await open(path, "w");
  await file.truncate(50 * 1024 * 1024);
  await file.close();
  const app = application({ staticFiles: { dir: root } });
  const response = await app.fetch(new Request("http://a/shrinks.bin"));
  assert.equal(response.headers.get("content-length"), `${50 * 1024 * 1024}`);
  await truncate(path, 100_000);
  await assert.rejects(response.arrayBuffer());
});

test("a file that grows is sent with the promised length", async () => {
  const path = join(root, "grows.bin");
  await writeFile(path, Buffer.alloc(5_000_000, "a"));
  const app = application({ staticFiles: { dir: root } });
  const response = await app.fetch(new Request("http://a/grows.bin"));
  await writeFile(path, "b".repeat(1000), { flag: "a" });
  const text = await response.text();
  assert.equal(text.length, 5_000_000);
  assert.ok(!text.includes("b"));
});

test("files are closed after every kind of response", async () => {
  await mkdir(join(root, "directory"));
  await writeFile(join(root, "directory", "index.html"), "index");
  await writeFile(join(root, "open.bin"), Buffer.alloc(500_000));
  await writeFile(join(root, "open.bin.br"), "br");
  const app = application({ staticFiles: { dir: root, precompressed: true } });
  const send = async (path: string, init: RequestInit): Promise<number> => {
    const response = await app.fetch(new Request(`http://a${path}`, init));
    await response.arrayBuffer();
    return response.status;
  };
  assert.equal(await send("/open.bin", {}), 200);
  assert.equal(await send("/open.bin", { headers: { "accept-encoding": "br" } }), 200);
  assert.equal(await send("/open.bin", { method: "HEAD" }), 200);
  assert.equal(await send("/open.bin", { method: "POST" }), 405);
  assert.equal(await send("/open.bin", { headers: { range: "bytes=0-,5-" } }), 206);
  assert.equal(await send("/open.bin", { headers: { range: "bytes=900000-" } }), 416);
  assert.equal(await send("/open.bin", { headers: { "if-none-match": "*" } }), 304);
  assert.equal(await send("/open.bin", { headers: { "if-match": '"a"' } }), 412);
  assert.equal(await send("/directory", {}), 301);
  assert.equal(await send("/directory/missing", {}), 404);
  const cancelled = await app.fetch(new Request("http://a/open.bin"));
  await cancelled.body!.cancel();
  for (let round = 0; openFiles() > 0 && round < 100; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.equal(openFiles(), 0);
});

test("an adapter serves files by itself unless the service must see each request", async () => {
  const site = {
    staticFiles: { dir: root },
    health: true,
    cors: { origins: ["https://a.example"] },
  } as const;
  const { servedFiles } = await application(site).service();
  assert.deepEqual(servedFiles?.reserved, ["/healthz", "/readyz"]);
  assert.deepEqual(servedFiles.headers, ["vary", "origin"]);
  assert.equal(servedFiles.dependsOnOrigin, true);
  assert.equal((await application({ ...site, requestLog: true }).service()).servedFiles, undefined);
  const plugins = [{ name: "watcher", onLifecycle: () => undefined }];
  assert.equal((await application({ ...site, plugins }).service()).servedFiles, undefined);
});
