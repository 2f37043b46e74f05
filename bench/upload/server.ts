// Server of one subject: `node server.ts SUBJECT`. Prints its port. `POST /avatars` counts the bytes of the file `avatar`, and
// `GET /used` returns the CPU time and the largest memory of the process.

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { Upload } from "@kit/types";

import program from "../../crates/kit-emit/tests/goldens/bodies/routes/index.ts";
import { bodyOptions } from "../../tests/conformance/bodies-application.ts";

const largest = 2 ** 40;

/** Text that `GET /used` returns. */
function used(): string {
  const { user, system } = process.cpuUsage();
  const peak = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  return JSON.stringify({ cpuMs: (user + system) / 1000, peakMiB: peak / 1024 });
}

/** Stream that counts the bytes that are written to it. */
class Counter extends Writable {
  bytes = 0;

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    this.bytes += chunk.length;
    done();
  }
}

async function kit(server: "native" | "node"): Promise<number> {
  process.env["KIT_SERVER"] = server;
  const handlers = {
    "POST /avatars": async ({ body, ctx }: { body: { avatar: Upload }; ctx: { header: Function } }) => {
      const counter = new Counter();
      await pipeline(body.avatar, counter);
      ctx.header("x-bytes", String(counter.bytes));
    },
    // Another route of the program, because a route of its own would need a build.
    "GET /table": () => used(),
  };
  const app = createApp({
    ...bodyOptions(handlers, { "POST /avatars": { limits: { bodyBytes: largest } } }),
    compiled: program,
    server: nativeServer(),
  });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return port;
}

async function nodeHttp(): Promise<number> {
  const { default: Busboy } = await import("./peers/node_modules/@fastify/busboy/index.js" as string);
  const count = (request: IncomingMessage): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const counter = new Counter();
    const parser = new Busboy({ headers: request.headers, limits: { fileSize: largest } });
    parser.on("file", (_name: string, file: NodeJS.ReadableStream) => file.pipe(counter));
    parser.on("finish", () => resolve(counter.bytes));
    parser.on("error", reject);
    request.pipe(parser);
    return promise;
  };
  const server = createServer((request, response) => {
    if (request.method === "GET") response.end(used());
    else void count(request).then((bytes) => response.writeHead(204, { "x-bytes": bytes }).end());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return (server.address() as AddressInfo).port;
}

async function fastify(): Promise<number> {
  const { default: Fastify } = await import("./peers/node_modules/fastify/fastify.js" as string);
  const { default: multipart } = await import("./peers/node_modules/@fastify/multipart/index.js" as string);
  const app = Fastify({ bodyLimit: largest });
  await app.register(multipart, { limits: { fileSize: largest } });
  app.get("/table", () => used());
  app.post(
    "/avatars",
    async (
      request: { file(): Promise<{ file: NodeJS.ReadableStream }> },
      reply: { code(status: number): { header(name: string, value: string): { send(): unknown } } },
    ) => {
      const { file } = await request.file();
      const counter = new Counter();
      await pipeline(file, counter);
      return reply.code(204).header("x-bytes", String(counter.bytes)).send();
    },
  );
  await app.listen({ port: 0, host: "127.0.0.1" });
  return app.server.address().port;
}

const subjects: Readonly<Record<string, () => Promise<number>>> = {
  "kit-native": () => kit("native"),
  "kit-fallback": () => kit("node"),
  "node-http": nodeHttp,
  fastify,
};

console.log(await subjects[process.argv[2] ?? ""]!());
