// Application for the cases of `conformance/downloads.json`: responses of which clients can ask for ranges. The property `about`
// of that file explains the routes.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import {
  type AppOptions,
  createApp,
  defineHandlers,
  download,
  type DownloadSource,
  type RequestContext,
} from "@kit/core";
import { AppError } from "@kit/errors";
import type { CompiledContent, ServerAdapter } from "@kit/types";

import { compiled, paramsOf, queryOf, route } from "../../packages/core/test/support/compiled.ts";
import type { Served } from "./application.ts";
import { textOf } from "./edge-columns.ts";
import { readConformance } from "./option-cases.ts";
import { makeStaticDirectory, type StaticFixture } from "./static-directory.ts";

const fixture = readConformance<StaticFixture>("downloads.json");
const responseFormat: CompiledContent = { format: "download", mediaType: "text/plain" };
const digits = "0123456789";

/** Number of bytes of a source that no client receives completely. */
export const endlessBytes: number = 2 ** 40;

const program = compiled(
  route("GET /files/*name", { params: paramsOf("Name", { name: "string" }), responseFormat, status: 200 }),
  route("GET /named", { query: queryOf("Named", { as: "string" }), responseFormat, status: 200 }),
  ...["source", "bytes", "cached", "no-directory", "endless"].map((name) =>
    route(`GET /${name}`, { responseFormat, status: 200 }),
  ),
);

interface Input {
  readonly params: { readonly name: string };
  readonly query: { readonly as: string };
  readonly ctx: RequestContext;
}

/** Yields a text in chunks. Throws an error before the position `broken`. */
async function* chunksOf(text: string, size: number, broken = Infinity): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < text.length; start += size) {
    if (start >= broken) throw new Error("Reading the source failed");
    yield Buffer.from(text.slice(start, start + size));
  }
}

function sourceOf(mode: string | undefined): DownloadSource {
  const text = mode === "large" ? textOf(1000) : digits;
  const read: DownloadSource["read"] = (first, last) => {
    if (mode === "gone") throw new AppError("FILM_NOT_FOUND", 404, "There is no such film");
    const more = mode === "long" ? 1 : mode === "short" ? -1 : 0;
    const part = `${text}+`.slice(first, last + 1 + more);
    const broken = mode === "fail" ? 0 : mode === "late" ? 3 : Infinity;
    const chunks = chunksOf(part, 3, broken);
    // A source may be asynchronous itself.
    return mode === undefined ? Promise.resolve(chunks) : chunks;
  };
  const size = mode === "empty" ? 0 : text.length;
  const lastModified = new Date(fixture.seconds * 1000);
  switch (mode) {
    case "weak":
      return { size, etag: 'W/"v1"', lastModified, read };
    case "bare":
    case "large":
      return { size, read };
    case "future":
      return { size, lastModified: new Date("2999-01-01"), read };
    default:
      return { size, etag: '"v1"', lastModified, read };
  }
}

/** Notes of the source of `GET /endless`. */
export interface EndlessNotes {
  /** Number of chunks that were read. */
  chunks: number;
  readonly aborted: PromiseWithResolvers<void>;
  readonly returned: PromiseWithResolvers<void>;
}

/** Returns the options of the application, without a server. */
export function downloadOptions(notes?: EndlessNotes): AppOptions {
  const root = makeStaticDirectory(fixture);
  const handlers = {
    "GET /files/*name": ({ params }: Input) => download({ dir: join(root, "public"), name: params.name }),
    "GET /named": ({ query }: Input) =>
      download(Buffer.from(digits), { attachment: query.as, cacheControl: "private, max-age=60" }),
    "GET /source": async ({ ctx }: Input) => download(sourceOf(ctx.headers["x-mode"])),
    "GET /bytes": () => Buffer.from(digits),
    "GET /cached": ({ ctx }: Input) => {
      ctx.header("cache-control", "public, max-age=5");
      return download(Buffer.from(digits));
    },
    "GET /no-directory": () => download({ dir: "no-such-directory", name: "a.txt" }),
    "GET /endless": () =>
      download({
        size: endlessBytes,
        async *read(_first, _last, signal) {
          signal.addEventListener("abort", () => notes?.aborted.resolve());
          try {
            for (;;) {
              if (notes !== undefined) notes.chunks += 1;
              yield Buffer.alloc(64 * 1024);
              await sleep(0);
            }
          } finally {
            notes?.returned.resolve();
          }
        },
      }),
  };
  return {
    env: "production",
    signals: false,
    compiled: program,
    logging: { level: "fatal" },
    routes: [{ handlers: defineHandlers(handlers as never) }],
  };
}

/** Starts the application. */
export async function serveDownloads(server: ServerAdapter, notes?: EndlessNotes): Promise<Served> {
  const app = createApp({ ...downloadOptions(notes), server });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
}
