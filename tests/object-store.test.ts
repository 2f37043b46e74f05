// Tests the project of docs/guide/object-store.md with an S3 server on this machine: `moto_server` of the PyPI package moto.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from "@aws-sdk/client-s3";

import { readPage } from "./docs/page.ts";
import { Project, repository } from "./e2e/support/project.ts";
import type { RunningApp } from "./e2e/support/running-app.ts";
import { PythonPackage } from "./openapi/python.ts";

const mebibyte = 1024 * 1024;
const size = (process.env["KIT_LONG"] === undefined ? 192 : 1024) * mebibyte;
/**
 * Largest growth of the server's memory in MiB. V8 collects the buffers of received chunks after they have grown by
 * 64 MiB (`kExternalAllocationSoftLimit`), so a growth of this size proves nothing about an application.
 */
const growthLimit = 80;
const moto = new PythonPackage("moto", "5.2.1", "server");
const key = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test", AWS_REGION: "us-east-1" };
const begin = '--b\r\ncontent-disposition: form-data; name="title"\r\n\r\nSea\r\n';
const file =
  '--b\r\ncontent-disposition: form-data; name="video"; filename="a"\r\ncontent-type: video/mp4\r\n\r\n';
const end = "\r\n--b--\r\n";

describe("the project of docs/guide/object-store.md", { timeout: 600_000 }, () => {
  let missing: string | undefined;
  let store: ChildProcess;
  let s3: S3Client;
  let project: Project;
  let app: RunningApp;

  before(async () => {
    missing = moto.install();
    if (missing !== undefined) return;
    store = spawn(join(moto.bin, "moto_server"), ["-H", "127.0.0.1", "-p", "0"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const endpoint = await addressOf(store);
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    s3 = new S3Client({ endpoint, credentials, region: key.AWS_REGION, forcePathStyle: true });
    await s3.send(new CreateBucketCommand({ Bucket: "videos" }));
    const base = await readPage(join(repository, "docs/guide/getting-started.md"));
    const { files } = await readPage(join(repository, "docs/guide/object-store.md"));
    for (const name of ["package.json", "tsconfig.json"]) files.set(name, base.files.get(name)!);
    project = await Project.of(files);
    await project.build();
    app = await project.start({
      env: { ...key, AWS_ENDPOINT_URL_S3: endpoint, LOG_LEVEL: "fatal" },
      mode: "production",
    });
  });
  after(async () => {
    s3?.destroy();
    await project?.remove();
    store?.kill();
  });

  /** Registers a test, which is skipped if there is no S3 server. */
  const it = (name: string, run: (t: TestContext) => Promise<void>): void => {
    test(name, async (t) => (missing === undefined ? run(t) : t.skip(missing)));
  };

  /** Returns the names of stored files, and the number of files of which the store has only parts. */
  const stored = async (): Promise<{ names: string[]; incomplete: number }> => {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: "videos" }));
    const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: "videos" }));
    return { names: Contents.map(({ Key }) => Key!).toSorted(), incomplete: Uploads.length };
  };

  it("stores an upload of any size and sends it again with little memory", async (t) => {
    await upload(app.port, 32 * mebibyte);
    const first = resident(app);
    const { id, hash, peak } = await upload(app.port, size, () => resident(app));
    const grown = peak - first;
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: "videos", Key: id }));
    assert.equal(await hashOf(Body as AsyncIterable<Uint8Array>), hash);

    await hashOf((await fetch(`${app.url}/videos/${id}`)).body!);
    const second = resident(app);
    let [largest, next, received] = [0, 0, 0];
    const sum = createHash("sha256");
    for await (const chunk of (await fetch(`${app.url}/videos/${id}`)).body!) {
      sum.update(chunk);
      received += chunk.length;
      if (received < next) continue;
      next += size / 64;
      largest = Math.max(largest, resident(app));
      await sleep(5);
    }
    assert.equal(sum.digest("hex"), hash);
    const sent = largest - second;
    t.diagnostic(
      `${size / mebibyte} MiB: ${grown.toFixed(1)} MiB more to store, ${sent.toFixed(1)} to send to a slow client`,
    );
    assert.ok(grown <= growthLimit && sent <= growthLimit, `${grown} and ${sent} MiB`);
  });

  it("sends a range of a stored file with the tag of the store", async () => {
    const { id } = await upload(app.port, mebibyte);
    const address = `${app.url}/videos/${id}`;
    const whole = await fetch(address);
    const tag = whole.headers.get("etag")!;
    const bytes = Buffer.from(await whole.arrayBuffer());
    assert.equal(bytes.length, mebibyte);
    const part = await fetch(address, { headers: { range: "bytes=1000-1999", "if-range": tag } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get("content-range"), `bytes 1000-1999/${mebibyte}`);
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(1000, 2000));
    const known = await fetch(address, { headers: { "if-none-match": tag } });
    assert.equal(known.status, 304);
  });

  it("leaves no object and no parts if a client disconnects", async () => {
    const earlier = await stored();
    for (const bytes of [100, mebibyte, 20 * mebibyte]) {
      const socket = await begun(app.port, 40 * mebibyte);
      await send(socket, bytes);
      // The library begins to store parts after the first 8 MiB.
      if (bytes > 8 * mebibyte) await until(async () => (await stored()).incomplete === 1);
      socket.resetAndDestroy();
      await until(async () => (await stored()).incomplete === 0);
    }
    await sleep(100);
    assert.deepEqual(await stored(), earlier);
  });

  it("responds with 400 and stores nothing if a body is invalid after its first parts", async () => {
    const earlier = await stored();
    const socket = await begun(app.port, 20 * mebibyte);
    const answer = response(socket);
    await send(socket, 20 * mebibyte);
    socket.write(end.replace("--b--", "--b??"));
    assert.match(await answer, /^HTTP\/1\.1 400 /);
    assert.deepEqual(await stored(), earlier);
  });

  it("responds with 400 to a file of a type that is not allowed, and with 404 if there is no file", async () => {
    const body = new FormData();
    body.append("title", "Sea");
    body.append("video", new Blob(["<html>"], { type: "text/html" }));
    const refused = await fetch(`${app.url}/videos`, { method: "POST", body });
    assert.equal(refused.status, 400);
    const absent = await fetch(`${app.url}/videos/${crypto.randomUUID()}`);
    assert.equal(absent.status, 404);
    assert.match(await absent.text(), /VIDEO_NOT_FOUND/);
  });

  it("ends the stream of the store if a client disconnects", async (t) => {
    if (process.platform !== "linux") return t.skip("this system has no /proc");
    const { id } = await upload(app.port, 32 * mebibyte);
    await sleep(100);
    const earlier = descriptors(app);
    for (let count = 0; count < 20; count += 1) {
      const socket = connect(app.port, "127.0.0.1");
      socket.write(`GET /videos/${id} HTTP/1.1\r\nhost: a\r\n\r\n`);
      await once(socket, "data");
      socket.pause();
      socket.resetAndDestroy();
    }
    await until(async () => descriptors(app) <= earlier);
  });

  it("gives clients an address of the store for an upload of one exact length", async () => {
    const post = (bytes: number): Promise<Response> =>
      fetch(`${app.url}/addresses`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ bytes }),
      });
    const content = randomBytes(100_000);
    const { id, url } = (await (await post(content.length)).json()) as { id: string; url: string };
    // moto does not check signatures. The store refuses another length because the header is a part of the signature.
    assert.equal(new URL(url).searchParams.get("X-Amz-SignedHeaders"), "content-length;host");
    assert.doesNotMatch(url, /checksum/i);
    const put = await fetch(url, { method: "PUT", body: content });
    assert.equal(put.status, 200, await put.text());
    // `fetch` follows the 303.
    const got = await fetch(`${app.url}/videos/${id}/address`);
    assert.deepEqual(Buffer.from(await got.arrayBuffer()), content);
    assert.equal((await post(0)).status, 400);
  });
});

/** Waits until the S3 server listens. Returns its address. */
async function addressOf(server: ChildProcess): Promise<string> {
  let text = "";
  for (const output of [server.stdout!, server.stderr!])
    output.setEncoding("utf8").on("data", (more: string) => (text += more));
  const found = (): string | undefined => /Running on (http:\/\/\S+)/.exec(text)?.[1];
  await until(async () => {
    assert.equal(server.exitCode, null, text);
    return found() !== undefined;
  });
  return found()!;
}

/** Sends the head and the fields of an upload with a file of this size. */
async function begun(port: number, bytes: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const length = begin.length + file.length + bytes + end.length;
  socket.write(
    `POST /videos HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${length}\r\n\r\n${begin}${file}`,
  );
  return socket;
}

/** Sends bytes of the file. Returns their hash. */
async function send(socket: Socket, bytes: number, each: () => void = () => undefined): Promise<string> {
  const hash = createHash("sha256");
  for (let sent = 0; sent < bytes; sent += 65_536) {
    const chunk = randomBytes(Math.min(65_536, bytes - sent));
    hash.update(chunk);
    if (!socket.write(chunk)) await once(socket, "drain");
    each();
  }
  return hash.digest("hex");
}

async function response(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (data) => (text += data.toString("latin1")));
  await once(socket, "close");
  return text;
}

/** Uploads a file. `measure` returns the memory of the server, whose peak is returned. */
async function upload(
  port: number,
  bytes: number,
  measure: () => number = () => 0,
): Promise<{ id: string; hash: string; peak: number }> {
  const socket = await begun(port, bytes);
  const answer = response(socket);
  let [peak, count] = [0, 0];
  const hash = await send(socket, bytes, () => {
    if (count++ % 32 === 0) peak = Math.max(peak, measure());
  });
  socket.write(end);
  const text = await answer;
  assert.match(text, /^HTTP\/1\.1 201 /);
  const video = JSON.parse(text.slice(text.indexOf("\r\n\r\n"))) as { id: string; bytes: number };
  assert.equal(video.bytes, bytes);
  return { id: video.id, hash, peak };
}

async function hashOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of content) hash.update(chunk);
  return hash.digest("hex");
}

/** Returns the memory of the server, in MiB. 0 on systems without `/proc`. */
function resident({ pid }: RunningApp): number {
  if (process.platform !== "linux") return 0;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1024;
}

function descriptors({ pid }: RunningApp): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, "the condition does not become true within 30 s");
    await sleep(20);
  }
}
