import assert from "node:assert/strict";
import { pipeline } from "node:stream/promises";
import { Writable } from "node:stream";
import { describe, test } from "node:test";

import type { CompiledBody, Upload, Uploads, ValidationFailure } from "@kit/types";

import type { MediaType } from "../../src/bodies/media-type.ts";
import { readUploads } from "../../src/bodies/uploads.ts";

const file = { name: "file", optional: false, many: false, streamed: true } as const;
const type: MediaType = { type: "multipart/form-data", parameters: new Map([["boundary", "b"]]) };
const end = "--b--\r\n";

function part(name: string, content: string, fileName?: string): string {
  const ending = fileName === undefined ? "" : `; filename="${fileName}"`;
  return `--b\r\nContent-Disposition: form-data; name="${name}"${ending}\r\n\r\n${content}\r\n`;
}

function format(...files: readonly NonNullable<CompiledBody["files"]>[number][]): CompiledBody {
  return {
    format: "multipart",
    mediaTypes: ["multipart/form-data"],
    files,
    multipart: (read) => ({ title: read("title") }),
  };
}

class Refused extends Error {
  readonly failures: readonly ValidationFailure[];

  constructor(failures: readonly ValidationFailure[]) {
    super(failures.map(({ path, rule }) => `${path} ${rule}`).join());
    this.failures = failures;
  }
}

class TooLarge extends Error {}

const errors = {
  refuse: (failures: readonly ValidationFailure[]) => new Refused(failures),
  partsTooLarge: (limit: number) => new TooLarge(String(limit)),
};

/** Source of chunks that counts the chunks that were read. */
class Chunks implements AsyncIterable<Uint8Array> {
  read = 0;
  isLeft = false;
  readonly #chunks: Iterable<string | Uint8Array>;

  constructor(chunks: Iterable<string | Uint8Array>) {
    this.#chunks = chunks;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (const chunk of this.#chunks) {
        this.read += 1;
        yield Buffer.from(chunk);
      }
    } finally {
      this.isLeft = true;
    }
  }
}

/** Returns the object that the handler receives. */
async function open(body: CompiledBody, chunks: AsyncIterable<Uint8Array>): Promise<Record<string, unknown>> {
  const result = await readUploads(chunks, body, type, errors);
  if (!("value" in result)) throw new Refused("failures" in result ? result.failures : []);
  return result.value as Record<string, unknown>;
}

async function textOf(upload: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await all(upload)).toString();
}

function cut(text: string, length: number): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  );
}

/** Returns a body with a part of many bytes before the upload. */
function* largePart(name: string, size: number): Generator<string> {
  yield part(name, "", name === "title" ? undefined : "a").slice(0, -2);
  for (let sent = 0; sent < size; sent += 65_536) yield "x".repeat(65_536);
  yield `\r\n${part("file", "1", "a")}${end}`;
}

function twoFiles(): Chunks {
  return new Chunks(cut(part("file", "1".repeat(10), "a") + part("file", "2".repeat(10), "b") + end, 4));
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

describe("an upload", () => {
  for (const length of [1, 2, 5, 1000]) {
    test(`has the content of the file if the body arrives in chunks of ${length} bytes`, async () => {
      const body = part("file", "\r\n--a\r\n--".repeat(30), "a.txt") + end;
      const { file: upload } = await open(format(file), new Chunks(cut(body, length)));
      assert.equal(await textOf(upload as Upload), "\r\n--a\r\n--".repeat(30));
    });
  }

  test("is passed to the handler before its content has arrived, and is read only when the handler reads", async () => {
    const head = part("file", "", "a.txt").slice(0, -2);
    const chunks = new Chunks([head, "1", "2", "3", `\r\n${end}`]);
    const { file: upload } = (await open(format(file), chunks)) as { file: Upload };
    assert.equal(chunks.read, 2);
    const iterator = upload[Symbol.asyncIterator]();
    assert.equal(Buffer.from((await iterator.next()).value!).toString(), "1");
    assert.equal(chunks.read, 2);
    assert.equal(Buffer.from((await iterator.next()).value!).toString(), "2");
    assert.equal(chunks.read, 3);
  });

  test("ends only when the rest of the body was valid", async () => {
    for (const [rest, message] of [
      ["--b--x", "$ multipart"],
      [part("title", "late") + end, "$.title multipart"],
      [part("file", "2", "b.txt") + end, "$.file maxItems"],
    ] as const) {
      const chunks = new Chunks([part("file", "1", "a.txt"), rest]);
      const { file: upload } = (await open(format(file), chunks)) as { file: Upload };
      const iterator = upload[Symbol.asyncIterator]();
      await iterator.next();
      await assert.rejects(iterator.next(), { message });
      await assert.rejects(iterator.next(), { message });
    }
  });

  test("can be read once", async () => {
    const { file: upload } = (await open(format(file), new Chunks([part("file", "1", "a"), end]))) as {
      file: Upload;
    };
    assert.equal(await textOf(upload), "1");
    assert.throws(() => upload[Symbol.asyncIterator](), TypeError);
  });

  test("stops the reading of the body if the handler ends the iteration early", async () => {
    const chunks = new Chunks([part("file", "1", "a").slice(0, -2), "2", "3"]);
    const { file: upload } = (await open(format(file), chunks)) as { file: Upload };
    for await (const _ of upload) break;
    assert.deepEqual([chunks.read, chunks.isLeft], [1, true]);
  });

  test("answers several calls of `next` at once in order", async () => {
    const chunks = new Chunks([part("file", "", "a").slice(0, -2), "1", "2", "3", `\r\n${end}`]);
    const { file: upload } = (await open(format(file), chunks)) as { file: Upload };
    const iterator = upload[Symbol.asyncIterator]();
    const results = await Promise.all(Array.from({ length: 5 }, () => iterator.next()));
    const values = results.map(({ value }) => value && Buffer.from(value).toString());
    assert.deepEqual(values, ["1", "2", "3", undefined, undefined]);
  });

  test("is written to a stream of the web platform, and to a stream of Node", async () => {
    for (const write of [
      (upload: Upload, taken: Uint8Array[]) =>
        upload.pipeTo(new WritableStream({ write: (bytes) => void taken.push(bytes) })),
      (upload: Upload, taken: Uint8Array[]) =>
        pipeline(
          upload,
          new Writable({ write: (bytes: Uint8Array, _encoding, done) => (taken.push(bytes), done()) }),
        ),
    ]) {
      const taken: Uint8Array[] = [];
      const chunks = new Chunks(cut(part("file", "abc", "a") + end, 3));
      await write((await open(format(file), chunks))["file"] as Upload, taken);
      assert.equal(Buffer.concat(taken).toString(), "abc");
    }
  });

  test("aborts the stream of `pipeTo` if the body is broken, and ends the body if the stream fails", async () => {
    const aborted: unknown[] = [];
    const broken = (await open(format(file), new Chunks([part("file", "1", "a"), "--b"])))["file"] as Upload;
    const refused = broken.pipeTo(new WritableStream({ abort: (reason) => void aborted.push(reason) }));
    await assert.rejects(refused, { message: "$ multipart" });
    assert.equal(aborted.length, 1);
    const chunks = new Chunks([part("file", "1", "a").slice(0, -2), "2", "3", "4", "5"]);
    const { file: upload } = (await open(format(file), chunks)) as { file: Upload };
    const full = new Error("disk is full");
    await assert.rejects(upload.pipeTo(new WritableStream({ write: () => Promise.reject(full) })), full);
    assert.ok(chunks.isLeft);
    assert.ok(chunks.read < 5);
  });

  test("fails as soon as it is larger than `maxBytes`", async () => {
    const chunks = new Chunks([part("file", "1", "a").slice(0, -2), "23", "45", "67"]);
    const { file: upload } = (await open(format({ ...file, maxBytes: 4 }), chunks)) as { file: Upload };
    await assert.rejects(textOf(upload), { message: "$.file maxBytes" });
    assert.equal(chunks.read, 3);
  });

  test("starts only after the bytes that show its type", async () => {
    const webm = format({ ...file, mediaTypes: ["video/*"] });
    const head = part("file", "", "a")
      .replace("\r\n\r\n", "\r\nContent-Type: video/webm\r\n\r\n")
      .slice(0, -2);
    const valid = new Chunks(
      [head, "\x1a", "E\xdf", "\xa3abcdefgh", "i", `\r\n${end}`].map((text) => Buffer.from(text, "latin1")),
    );
    const { file: upload } = (await open(webm, valid)) as { file: Upload };
    assert.equal(upload.type, "video/webm");
    assert.equal(valid.read, 4);
    assert.equal(await textOf(upload), Buffer.from("\x1aE\xdf\xa3abcdefghi", "latin1").toString());
    await assert.rejects(open(webm, new Chunks([head, "abcd", `\r\n${end}`])), { message: "$.file mime" });
  });
});

describe("parts before an upload", () => {
  test("are limited to 1 MiB and the sizes that the contract allows for files", async () => {
    const mebibyte = 1024 * 1024;
    const photo = { name: "photo", optional: true, many: true, maxItems: 2, maxBytes: mebibyte };
    for (const name of ["title", "photo"]) {
      const chunks = new Chunks(largePart(name, 64 * mebibyte));
      await assert.rejects(open(format(photo, file), chunks), new TooLarge(String(3 * mebibyte)));
      assert.ok(chunks.read <= 3 * 16 + 2, `${chunks.read} chunks were read`);
    }
    const small = new Chunks(largePart("photo", mebibyte));
    const { photo: photos } = await open(format(photo, file), small);
    assert.equal((photos as File[])[0]!.size, mebibyte);
  });

  test("have at most 100 failures together, and a last failure that reports omitted failures", async () => {
    const photos = { name: "photos", optional: true, many: true, mediaTypes: ["image/png"] };
    for (const [count, listed] of [
      [100, 100],
      [101, 101],
      [102, 101],
      [900, 101],
    ] as const) {
      const body = part("photos", "text", "a").repeat(count) + part("file", "1", "a") + end;
      const refused = await open(format(photos, file), new Chunks([body])).catch((error: Refused) => error);
      assert.ok(refused instanceof Refused);
      assert.equal(refused.failures.length, listed);
      assert.equal(refused.failures.at(-1)?.rule, count > 101 ? "maxFailures" : "mime");
    }
  });

  test("need no memory if the contract does not declare them", async () => {
    const size = 8 * 1024 * 1024;
    const chunks = new Chunks([
      part("other", "", "a").slice(0, -2),
      "x".repeat(size),
      `\r\n${part("file", "1", "a")}`,
      end,
    ]);
    assert.equal(await textOf((await open(format(file), chunks))["file"] as Upload), "1");
  });
});

describe("several uploads", () => {
  const many = { ...file, many: true };
  test("can be read in part, and the next upload skips the rest", async () => {
    const { file: uploads } = (await open(format(many), twoFiles())) as { file: Uploads };
    const seen: string[] = [];
    for await (const upload of uploads) {
      for await (const bytes of upload) {
        seen.push(`${upload.name}${Buffer.from(bytes).toString()[0]}`);
        break;
      }
    }
    assert.deepEqual(seen, ["a1", "b2"]);
  });

  test("cannot be read after the next one was requested", async () => {
    const small = new Chunks([part("file", "1", "a") + part("file", "2", "b") + end]);
    for (const chunks of [twoFiles(), small]) {
      const { file: uploads } = (await open(format(many), chunks)) as { file: Uploads };
      const found = await all(uploads);
      assert.equal(found.length, 2);
      await assert.rejects(textOf(found[0]!), TypeError);
    }
  });

  test("stop the reading of the body if the handler ends the iteration early", async () => {
    const chunks = twoFiles();
    const { file: uploads } = (await open(format(many), chunks)) as { file: Uploads };
    for await (const _ of uploads) break;
    assert.ok(chunks.isLeft);
    assert.throws(() => uploads[Symbol.asyncIterator](), TypeError);
  });

  test("are an empty iterable if the client sends none", async () => {
    const { file: uploads } = await open(format(many), new Chunks([end]));
    assert.deepEqual(await all(uploads as Uploads), []);
  });
});
