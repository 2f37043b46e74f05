// Application for the cases of `conformance/bodies.json`: bodies that are not JSON. Its contracts are those of the program
// `bodies` in `crates/kit-test-programs`, and it runs the code that kit generates for them. A handler of a route without a
// response shows what it received in the response header `x-received`.

import { setTimeout } from "node:timers/promises";

import { type AppOptions, createApp, download, type RequestContext } from "@kit/core";
import type { ServerAdapter, TlsOptions, Upload, Uploads } from "@kit/types";

import program from "../../crates/kit-emit/tests/goldens/bodies/routes/index.ts";
import type { Served } from "./application.ts";

interface Input<TBody> {
  readonly body: TBody;
  readonly reply: (status: number, ...parts: unknown[]) => unknown;
  readonly ctx: RequestContext;
}

/** Shows a file, or a list of files. */
async function shown(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(shown));
  if (!(value instanceof File)) return value;
  return { name: value.name, type: value.type, text: await value.text() };
}

async function note(ctx: RequestContext, received: object | string): Promise<void> {
  const parts: Record<string, unknown> = {};
  if (typeof received === "object")
    for (const [name, value] of Object.entries(received)) parts[name] = await shown(value);
  const text = JSON.stringify(typeof received === "string" ? received : parts);
  ctx.header(
    "x-received",
    text.replaceAll(/[^ -~]/gu, (letter) => encodeURIComponent(letter)),
  );
}

/** Reads an upload to its end. */
async function read(upload: Upload): Promise<object> {
  const { name, type } = upload;
  const chunks: Uint8Array[] = [];
  for await (const bytes of upload) chunks.push(bytes);
  return { name, type, text: Buffer.concat(chunks).toString("latin1") };
}

/** Reads one chunk of an upload, and returns its length. */
async function leave(upload: Upload): Promise<number> {
  for await (const bytes of upload) return bytes.length;
  return 0;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

const printed = new Date("2026-01-02T03:04:05.678Z");
const book = (pages: number): object => ({ title: `Book ${pages}`, pages, printed, secret: "inside" });

async function* books(count: number): AsyncGenerator<object> {
  for (let pages = 1; pages <= count; pages += 1) {
    yield book(pages);
    await setTimeout(1);
  }
}

const handlers = {
  "POST /sessions": ({ body, ctx }: Input<object>) => note(ctx, body),
  "POST /photos": async ({ body, ctx }: Input<{ title: string }>) => {
    await note(ctx, body);
    return { id: "6f1d2c3b-0a9e-4f8d-8c7b-6a5d4e3f2a1b", title: body.title, secret: "inside" };
  },
  "POST /files": ({ body, ctx }: Input<object>) => note(ctx, body),
  "POST /comments": ({ body, ctx }: Input<object>) => note(ctx, body),
  "POST /videos": async ({ body, ctx }: Input<{ video: Upload }>) => {
    const { video, ...rest } = body;
    const mode = ctx.headers["x-mode"];
    if (mode === "ignore") return note(ctx, rest);
    return note(ctx, { ...rest, video: await (mode === "leave" ? leave : read)(video) });
  },
  "POST /archives": async ({ body, ctx }: Input<{ archives: Uploads }>) => {
    const archives: unknown[] = [];
    for await (const archive of body.archives)
      archives.push(ctx.headers["x-mode"] === "names" ? archive.name : await read(archive));
    return note(ctx, { archives });
  },
  "POST /avatars": async ({ body: { avatar }, ctx }: Input<{ avatar?: Upload }>) =>
    note(ctx, avatar === undefined ? {} : { avatar: await read(avatar) }),
  "POST /hooks": ({ body, ctx }: Input<Uint8Array>) => note(ctx, hex(body)),
  "POST /blobs": ({ body, ctx }: Input<Uint8Array>) => note(ctx, hex(body)),
  "POST /tables": ({ body, ctx }: Input<string>) => note(ctx, body),
  "POST /images": ({ body, ctx }: Input<Uint8Array>) => note(ctx, hex(body)),
  "POST /icons": ({ body, ctx }: Input<Uint8Array>) => note(ctx, hex(body)),
  "POST /imports": async ({ body }: Input<AsyncIterable<{ pages: number }>>) => {
    let imported = 0;
    for await (const { pages } of body) imported += pages;
    return { imported };
  },
  "GET /table": ({ ctx }: Input<void>) => (ctx.headers["x-mode"] !== "stream" ? "title\nBücher\n" : texts()),
  "GET /image": () => new Uint8Array([0x89, 0x50, 0x4e, 0x47]),
  "GET /film": () => download(Buffer.from("0123456789")),
  "GET /books": ({ ctx }: Input<void>) =>
    ctx.headers["x-mode"] !== "stream" ? [book(1), book(2)] : books(2),
  "GET /events": ({ ctx }: Input<void>) =>
    ctx.headers["x-mode"] === "numbers" ? numbers(ctx.headers["last-event-id"], ctx.signal) : events(),
  "GET /report": ({ ctx, reply }: Input<void>) => {
    const mode = ctx.headers["x-mode"];
    if (mode === "202") return reply(202, { percent: 50 });
    if (mode === "207") return reply(207, events());
    return mode === "203" ? reply(203, books(1)) : reply(200, "a,b\n");
  },
};

async function* texts(): AsyncGenerator<string> {
  yield "title\n";
  await setTimeout(1);
  yield "Bücher\n";
}

/** Yields numbers in order without an end, and continues after the last one that the client received. */
async function* numbers(last: string | undefined, signal: AbortSignal): AsyncGenerator<object> {
  for (let percent = Number(last ?? 0) + 1; ; percent += 1) {
    yield { event: "progress", data: { percent }, id: String(percent), retry: 20 };
    await setTimeout(2, undefined, { signal });
  }
}

async function* events(): AsyncGenerator<object> {
  yield { event: "progress", data: { percent: 50, secret: "inside" } };
  await setTimeout(1);
  yield { event: "done", data: book(3), id: "7", retry: 250 };
  yield { event: "stopped", data: undefined };
}

/**
 * Returns the options of the application, without a server. `others` are handlers in place of the application's, and `on`
 * has options of routes.
 */
export function bodyOptions(others: object = {}, on: object = {}): AppOptions {
  return {
    env: "production",
    signals: false,
    compiled: program,
    logging: { level: "fatal" },
    routes: [{ handlers: { ...handlers, ...others } as never, on: on as never }],
  };
}

/** Starts the application on a server. `tls` are the files of TLS. */
export async function serveBodies(server: ServerAdapter, tls?: TlsOptions): Promise<Served> {
  const app = createApp({ ...bodyOptions(), server });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1", ...(tls !== undefined && { tls }) });
  return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
}
