import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import {
  type AppOptions,
  createApp,
  defineWrapper,
  download,
  type DownloadFile,
  type DownloadOptions,
  type LogEntry,
} from "@kit/core";

import { compiled, responseOf, route } from "./support/compiled.ts";
import { quietStdout } from "./support/quiet-stdout.ts";
import type { TestHandler } from "./support/serve.ts";

quietStdout();

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "kit-downloads-"));
  await mkdir(join(root, "files"));
  await writeFile(join(root, "files/digits.txt"), "0123456789");
  await writeFile(join(root, "files/large.txt"), Buffer.alloc(1_000_000));
});
after(() => rm(root, { recursive: true }));

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

/** Waits until no file below `root` is open. A file is closed in a thread of libuv, which may end after the response is sent. */
async function filesAreClosed(message?: string): Promise<void> {
  for (let attempt = 0; attempt < 200 && openFiles() > 0; attempt += 1) await delay(10);
  assert.equal(openFiles(), 0, message);
}

const film = route("GET /film", {
  responseFormat: { format: "download", mediaType: "video/mp4" },
  status: 200,
});

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly log: readonly LogEntry[];
}

/** Sends a request to an application whose only route has this handler. */
async function sent(
  handler: TestHandler,
  headers: Readonly<Record<string, string>> = {},
  options: Partial<AppOptions> = {},
  of = film,
): Promise<Sent> {
  const log: LogEntry[] = [];
  const app = createApp({
    env: "production",
    signals: false,
    compiled: compiled(of),
    routes: [{ handlers: { [of.ref]: handler } as never }],
    plugins: [{ name: "log", onLog: (entry) => log.push(entry) }],
    ...options,
  });
  const response = await app.fetch(new Request("http://a/film", { headers }));
  const { status, headers: received } = response;
  const text = await response.text();
  await app.close();
  return { status, headers: received, text, log };
}

function file(name: string, options?: DownloadOptions): ReturnType<typeof download> {
  return download({ dir: join(root, "files"), name }, options);
}

const read = (): AsyncIterable<Uint8Array> => assert.fail("not called");

describe("download", () => {
  const invalid: readonly (readonly [source: unknown, options: unknown, message: RegExp])[] = [
    [7, {}, /the first argument must be a file/],
    [null, {}, /the first argument must be a file/],
    [{ size: 1 }, {}, /the first argument must be a file/],
    [{ dir: "", name: "a" }, {}, /`dir` must be the path of a directory/],
    [{ dir: "a" }, {}, /`name` must be the path of a file/],
    [{ size: -1, read }, {}, /`size` must be a number of bytes, not -1/],
    [{ size: 1.5, read }, {}, /`size` must be a number of bytes, not 1.5/],
    [{ size: 1, etag: "7", read }, {}, /`etag` must be an entity tag in quotes/],
    [{ size: 1, etag: '"a"b"', read }, {}, /`etag` must be an entity tag in quotes/],
    [{ size: 1, etag: '"ü"', read }, {}, /`etag` must be an entity tag in quotes/],
    [{ size: 1, lastModified: "2026-01-01", read }, {}, /`lastModified` must be a valid Date/],
    [{ size: 1, lastModified: new Date(Number.NaN), read }, {}, /`lastModified` must be a valid Date/],
    [{ size: 1, read: 7 }, {}, /`read` must be a function/],
    [new Uint8Array(1), { attachment: "" }, /`attachment` must be the name of a file, not ""/],
    [new Uint8Array(1), { attachment: 7 }, /`attachment` must be the name of a file/],
  ];
  for (const [source, options, message] of invalid) {
    test(`refuses ${JSON.stringify(source)} with ${JSON.stringify(options)}`, () => {
      assert.throws(() => download(source as DownloadFile, options as DownloadOptions), {
        name: "TypeError",
        message,
      });
    });
  }
});

test("a route without Download refuses a download", async () => {
  const unknown = {
    name: "unknown",
    failures: () => [],
    serialize: (value: unknown): string => JSON.stringify(value),
  };
  for (const of of [
    route("GET /film", { response: unknown }),
    route("GET /film", { responseFormat: { format: "bytes", mediaType: "video/mp4" }, status: 200 }),
  ]) {
    const { status, log } = await sent(() => download(new Uint8Array(1)), {}, {}, of);
    assert.equal(status, 500);
    assert.match(JSON.stringify(log), /write `Download<…>` as the response|its contract has Bytes<…>/);
  }
});

test("a route with Download refuses other results", async () => {
  for (const [result, found] of [
    [undefined, "nothing"],
    [null, "null"],
    ["text", "a value of type string"],
    [{ size: 1 }, "a value of type object"],
  ] as const) {
    const { status, log } = await sent(() => result);
    assert.equal(status, 500);
    assert.match(
      JSON.stringify(log),
      new RegExp(`GET /film returned ${found}, but its contract has Download`),
    );
  }
});

test("a stream in place of a download is closed", async () => {
  let isClosed = false;
  const stream = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: false, value: new Uint8Array(1) }),
      return: () => {
        isClosed = true;
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  const { status } = await sent(() => stream);
  assert.equal(status, 500);
  assert.ok(isClosed);
});

test("ctx.send is sent as it is", async () => {
  const { status, text, headers } = await sent(({ ctx }) => ctx.send("text"), { range: "bytes=0-0" });
  assert.equal(status, 200);
  assert.equal(text, "text");
  assert.equal(headers.get("accept-ranges"), null);
});

test("ctx.status cannot change the status of a download", async () => {
  const { status, log } = await sent(({ ctx }) => {
    ctx.status(203);
    return file("digits.txt");
  });
  assert.equal(status, 500);
  assert.match(JSON.stringify(log), /GET \/film sends a download, whose status is 200 or 206/);
  await filesAreClosed();
});

test("a directory that does not exist or contains the project is an error of the application", async () => {
  for (const [dir, message] of [
    [join(root, "missing"), /there is no directory .*missing/],
    [".", /contains the project/],
    ["/", /contains the project/],
  ] as const) {
    const { status, log } = await sent(() => download({ dir, name: "package.json" }));
    assert.equal(status, 500);
    assert.match(JSON.stringify(log), message);
  }
});

test("a relative directory begins at the project's root", async () => {
  const { status, text } = await sent(
    () => download({ dir: "packages/core/test/support", name: "compiled.ts" }),
    {
      range: "bytes=0-5",
    },
  );
  assert.equal(status, 206, text);
  assert.equal(text, "import");
});

test("no file stays open after any response", async () => {
  for (const headers of [
    {},
    { range: "bytes=1-2" },
    { range: "bytes=1-2,900000-" },
    { range: "bytes=2000000-" },
    { "if-none-match": "*" },
    { "if-match": '"other"' },
  ] as Readonly<Record<string, string>>[]) {
    for (const name of ["digits.txt", "large.txt", "missing.txt", "../files"])
      await sent(() => file(name), headers);
    await filesAreClosed(JSON.stringify(headers));
  }
});

test("the option etag evaluates the tag of a download, and adds none", async () => {
  const source = download({
    size: 1,
    read: async function* () {
      yield new Uint8Array(1);
    },
  });
  const { headers } = await sent(() => source, {}, { etag: true });
  assert.equal(headers.get("etag"), null);
  const whole = await sent(() => file("digits.txt"), {}, { etag: true });
  const tag = whole.headers.get("etag")!;
  assert.equal((await sent(() => file("digits.txt"), { "if-none-match": tag }, { etag: true })).status, 304);
  assert.equal((await sent(() => file("digits.txt"), { "if-match": tag }, { etag: true })).status, 200);
});

test("the option compression does not apply to downloads", async () => {
  const of = route("GET /film", {
    responseFormat: { format: "download", mediaType: "text/plain" },
    status: 200,
  });
  const { headers } = await sent(
    () => file("large.txt"),
    { "accept-encoding": "gzip" },
    { compression: true },
    of,
  );
  assert.equal(headers.get("content-encoding"), null);
  assert.equal(headers.get("content-length"), "1000000");
});

describe("a wrapper", () => {
  const reply = { 202: { body: responseOf("Job", { job: "number" }), headers: null } };
  const of = { ...film, middleware: ["wrapper"], wrappers: { wrapper: reply } };
  const around = (
    wrapper: Parameters<typeof defineWrapper>[0],
    handler: TestHandler,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Sent> =>
    sent(
      handler,
      headers,
      {
        middleware: [{ name: "wrapper", middleware: defineWrapper(wrapper as never), priority: 0 }] as never,
      },
      of,
    );

  test("passes a download on, and can set headers", async () => {
    const { status, text, headers } = await around(
      async (_input, next) => {
        const answer = await next();
        answer.headers.set("x-seen", String(answer.status));
        return answer;
      },
      () => file("digits.txt"),
      { range: "bytes=-2" },
    );
    assert.equal(status, 206);
    assert.equal(text, "89");
    assert.equal(headers.get("x-seen"), "200");
  });

  test("sees the error of a missing file", async () => {
    let seen: unknown;
    const { status } = await around(
      async (_input, next) => {
        try {
          return await next();
        } catch (error) {
          seen = error;
          throw error;
        }
      },
      () => file("missing.txt"),
    );
    assert.equal(status, 404);
    assert.equal((seen as { code?: string }).code, "NOT_FOUND");
  });

  test("closes the file of a download that it replaces", async () => {
    const { status } = await around(
      async ({ reply: answer }, next) => {
        await next();
        return (answer as (status: number, body: unknown) => never)(202, { job: 1 });
      },
      () => file("large.txt"),
    );
    assert.equal(status, 202);
    await filesAreClosed();
  });
});

test("a download that comes after the timeout closes its file", async () => {
  const { status } = await sent(
    () => new Promise((resolve) => setTimeout(() => resolve(file("large.txt")), 300)),
    {},
    { requestTimeoutMs: 100 },
  );
  assert.equal(status, 503);
  await delay(600);
  await filesAreClosed();
});

test("a source that is opened after the timeout is closed", async () => {
  const closed = Promise.withResolvers<void>();
  const { status } = await sent(
    () =>
      download({
        size: 1,
        read: async (_first, _last, signal) => {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          return {
            [Symbol.asyncIterator]: () => ({
              next: () => Promise.resolve({ done: true as const, value: undefined }),
              return: () => {
                closed.resolve();
                return Promise.resolve({ done: true as const, value: undefined });
              },
            }),
          };
        },
      }),
    {},
    { requestTimeoutMs: 100 },
  );
  assert.equal(status, 503);
  await closed.promise;
});
