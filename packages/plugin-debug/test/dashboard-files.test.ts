// Tests the page of the dashboard and its files: who gets them, their headers and their compression.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

import { request } from "node:http";
import { buffer } from "node:stream/consumers";

import { isForFile } from "../src/dashboard-files.ts";
import { sendRequest, rawStatus, start, type WithSidecar } from "./support/sidecar.ts";

const directory = join(import.meta.dirname, "../dist-dashboard");
const skip =
  !existsSync(join(directory, "index.html")) && "the dashboard is not built: cargo xtask dashboard";
const accept = "text/html,application/xhtml+xml,*/*;q=0.8";

it("the sidecar sends the page to browsers, and the list of endpoints to programs", () => {
  assert.deepEqual(
    [accept, "text/html", "TEXT/HTML;q=0.9", "*/*", "application/json", "", "text/htmlx"].map((wanted) =>
      isFile("/", wanted),
    ),
    [true, true, true, false, false, false, false],
  );
  assert.ok(!isFile("/?format=json", accept));
  assert.ok(!isFile("/_debug", accept) && !isFile("/_debug/health", accept));
  assert.ok(isFile("/assets/x.js", "*/*") && isFile("/", accept, "HEAD"));
  assert.ok(!isFile("/", accept, "POST") && !isFile("/assets/x.js", accept, "DELETE"));
});

describe("the dashboard's files", { skip }, () => {
  let app: WithSidecar;
  let production: WithSidecar;
  before(async () => {
    app = await start();
    production = await start({ mode: "production", apiKey: "k", allowedIPs: ["127.0.0.1"] });
  });
  after(async () => {
    await app.close();
    await production.close();
  });

  it("have a security policy that allows no content of other origins", async () => {
    for (const path of ["/", ...assets().map((name) => `/assets/${name}`)]) {
      const { status, headers } = await app.get(path, { accept });
      assert.equal(status, 200, path);
      const policy = String(headers["content-security-policy"]);
      for (const part of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
      ])
        assert.ok(policy.split("; ").includes(part), `${path}: ${policy}`);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      assert.equal(headers["x-content-type-options"], "nosniff");
      assert.equal(headers["referrer-policy"], "no-referrer");
      assert.equal(headers["cross-origin-resource-policy"], "same-origin");
    }
    const { text } = await app.get("/", { accept });
    assert.doesNotMatch(text, /<script>|style=|onload|https?:\/\//);
  });

  it("are cached forever, except the page, which is revalidated each time", async () => {
    const page = await app.get("/", { accept });
    assert.equal(page.headers["cache-control"], "no-cache");
    assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
    const etag = String(page.headers["etag"]);
    const again = await app.get("/", { accept, "if-none-match": `"x", ${etag}` });
    assert.deepEqual([again.status, again.text], [304, ""]);
    assert.equal((await app.get("/", { accept, "if-none-match": '"x"' })).status, 200);
    for (const name of assets()) {
      const { headers } = await app.get(`/assets/${name}`);
      assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
      assert.match(name, /-[\w-]{8}\.(js|css|svg)$/);
    }
  });

  it("are sent compressed to clients that accept a compression", async () => {
    const name = assets().find((asset) => asset.endsWith(".js"))!;
    const plain = readFileSync(join(directory, "assets", name));
    for (const [encodings, used] of [
      ["gzip, deflate, br", "br"],
      ["gzip, deflate", "gzip"],
      ["br;q=0, gzip;q=0.5", "gzip"],
      ["identity", undefined],
      ["", undefined],
    ] as const) {
      const { headers, bytes } = await bytesOf(app.port, `/assets/${name}`, encodings);
      assert.equal(headers["content-encoding"], used, encodings);
      assert.equal(Number(headers["content-length"]), bytes.length);
      assert.match(String(headers["vary"]), /accept-encoding/);
      const decoded =
        used === "br" ? brotliDecompressSync(bytes) : used === "gzip" ? gunzipSync(bytes) : bytes;
      assert.ok(decoded.equals(plain), encodings);
    }
  });

  it("have a total compressed size below 200 KB", () => {
    const sizes = assets().map((name) => readFileSync(join(directory, "assets", `${name}.gz`)).length);
    const sum = sizes.reduce(
      (total, size) => total + size,
      readFileSync(join(directory, "index.html.gz")).length,
    );
    assert.ok(sum > 20_000 && sum < 200_000, `${sum} bytes`);
  });

  it("are sent only under their exact paths, so no other file can be read", async () => {
    for (const path of [
      "/assets/",
      "/assets/../index.html",
      "/assets/../../package.json",
      "/assets/..%2f..%2fpackage.json",
      "/assets/%2e%2e/licenses.md",
      "/assets/index.html",
      "/assets//etc/passwd",
      "/assets/__proto__",
    ]) {
      const { status, text } = await app.get(path, { accept });
      assert.equal(status, 404, path);
      assert.doesNotMatch(text, /root:|"name"/);
    }
  });

  it("need no key in production, unlike the data of the application", async () => {
    const page = await production.get("/", { accept });
    assert.equal(page.status, 200);
    assert.equal(page.text, (await app.get("/", { accept })).text, "it is the same for everybody");
    const [asset] = assets();
    assert.equal((await production.get(`/assets/${asset}`)).status, 200);
    for (const path of [
      "/",
      "/?format=json",
      "/_debug",
      "/_debug/dashboard",
      "/_debug/feed",
      "/_debug/health",
    ]) {
      const wanted = { accept: path === "/" ? "application/json" : accept };
      assert.equal((await production.get(path, wanted)).status, 401, path);
    }
    // All other restrictions apply to the files too.
    const other = await start({ mode: "production", apiKey: "k", allowedIPs: ["203.0.113.7"] });
    assert.equal((await other.get("/", { accept })).status, 403);
    await other.close();
    const limited = await start({
      mode: "production",
      apiKey: "k",
      rateLimit: { max: 2, windowMs: 3_600_000 },
    });
    const statuses = await Promise.all([1, 2, 3].map(() => limited.get("/", { accept })));
    assert.deepEqual(statuses.map(({ status }) => status).toSorted(), [200, 200, 429]);
    await limited.close();
  });

  it("are refused if a page of another site or another host name requests them", async () => {
    const lines = [`Accept: ${accept}`];
    assert.equal(await rawStatus(app.port, ["Host: attacker.example", ...lines]), 403);
    const cross = { accept, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    assert.equal((await app.get("/", cross)).status, 403);
    assert.equal((await app.get(`/assets/${assets()[0]}`, cross)).status, 403);
    // A link to the page is allowed, because the page with the link cannot read the response.
    assert.equal((await app.get("/", { ...cross, "sec-fetch-mode": "navigate" })).status, 200);
    const post = await sendRequest(app.port, "/", { method: "POST", headers: { accept } });
    assert.equal(post.status, 405);
  });
});

async function bytesOf(
  port: number,
  path: string,
  encodings: string,
): Promise<{ headers: NodeJS.Dict<string | string[]>; bytes: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    headers: NodeJS.Dict<string | string[]>;
    bytes: Buffer;
  }>();
  const headers = encodings === "" ? {} : { "accept-encoding": encodings };
  const sending = request({ port, host: "127.0.0.1", path, headers, agent: false }, (response) => {
    buffer(response).then((bytes) => resolve({ headers: response.headers, bytes }), reject);
  });
  sending.on("error", reject).end();
  return promise;
}

function isFile(target: string, wanted: string, method = "GET"): boolean {
  return isForFile({ method, target, accept: wanted });
}

/** Returns the names of the dashboard's files except the page, without the compressed copies. */
function assets(): string[] {
  return readdirSync(join(directory, "assets")).filter((name) => !/\.(br|gz)$/.test(name));
}
