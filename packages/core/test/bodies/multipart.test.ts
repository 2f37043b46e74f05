import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import {
  greatestPartHeaders,
  isBoundary,
  MultipartParser,
  type MultipartPart,
  parseMultipart,
} from "../../src/bodies/multipart.ts";

interface Case {
  readonly name: string;
  readonly body: string;
  readonly boundary?: string;
  readonly fill?: readonly [text: string, count: number];
  readonly parts?: readonly object[];
  readonly count?: number;
  readonly refused?: true;
}

const file = new URL("../../../../conformance/multipart.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: Case[] };

function bytesOf({ body, fill }: Case): Buffer {
  const filled = fill === undefined ? body : body.replace("%s", () => fill[0].repeat(fill[1]));
  return Buffer.from(filled, "latin1");
}

/** Returns the parts of a case's body. `undefined` if the body is refused. */
function parse(one: Case): MultipartPart[] | undefined {
  const { boundary = "boundary" } = one;
  if (!isBoundary(boundary)) return undefined;
  const parsed = parseMultipart(bytesOf(one), boundary);
  return Array.isArray(parsed) ? parsed : undefined;
}

/** Returns the parts of a body that arrives in these chunks. `undefined` if the body is refused. */
function parseChunks(chunks: Iterable<Uint8Array>, boundary: string): MultipartPart[] | undefined {
  const parser = new MultipartParser(boundary);
  const parts: MultipartPart[] = [];
  const source = chunks[Symbol.iterator]();
  let contents: Uint8Array[] = [];
  for (;;) {
    const step = parser.next();
    switch (step.kind) {
      case "more": {
        const { done, value } = source.next();
        if (done === true) parser.end();
        // The memory of a chunk is not the parser's.
        else parser.push(Buffer.from(value));
        break;
      }
      case "part":
        contents = [];
        parts.push({ ...step.head, bytes: Buffer.alloc(0) });
        break;
      case "content":
        assert.ok(step.bytes.length > 0);
        contents.push(step.bytes);
        break;
      case "partEnd":
        parts.push({ ...parts.pop()!, bytes: Buffer.concat(contents) });
        break;
      case "end":
        assert.equal(parser.next(), step);
        return parts;
      default:
        assert.equal(parser.next(), step);
        return undefined;
    }
  }
}

function* pieces(body: Buffer, length: number): Generator<Buffer> {
  for (let at = 0; at < body.length; at += length) yield body.subarray(at, at + length);
}

function shown({ name, fileName, mediaType, bytes }: MultipartPart): object {
  const part: Record<string, string> = { name, text: Buffer.from(bytes).toString("latin1") };
  if (fileName !== undefined) part["fileName"] = fileName;
  if (mediaType !== undefined) part["mediaType"] = mediaType;
  return part;
}

describe("parseMultipart", () => {
  for (const one of cases) {
    test(`${one.refused ? "refuses" : "reads"}: ${one.name}`, () => {
      const parts = parse(one);
      if (one.refused === true) assert.equal(parts, undefined);
      else if (one.count !== undefined) assert.equal(parts?.length, one.count);
      else assert.deepEqual(parts?.map(shown), one.parts);
    });
  }

  test("needs linear time for a content that looks like many starts of the boundary", () => {
    const content = "\r\n--boundar".repeat(200_000);
    const body = `--boundary\r\nContent-Disposition: form-data; name="a"\r\n\r\n${content}\r\n--boundary--`;
    assert.equal(parse({ name: "", body })?.[0]?.bytes.length, content.length);
  });
});

describe("MultipartParser", () => {
  for (const one of cases.filter(({ boundary = "boundary" }) => isBoundary(boundary))) {
    const { boundary = "boundary" } = one;
    const body = bytesOf(one);
    const whole = parse(one)?.map(shown);
    // Only cases with filled bodies are long.
    const lengths = body.length < 4096 ? [1, 2, 3, 7, 64] : [1, 1000, 65_536];
    test(`reads chunks as the whole body: ${one.name}`, () => {
      for (const length of lengths) {
        const parts = parseChunks(pieces(body, length), boundary)?.map(shown);
        assert.deepEqual(parts, whole, `chunks of ${length} bytes`);
      }
      for (let at = 0; at <= body.length && body.length < 4096; at += 1) {
        const parts = parseChunks([body.subarray(0, at), body.subarray(at)], boundary)?.map(shown);
        assert.deepEqual(parts, whole, `two chunks, cut at ${at}`);
      }
    });
  }

  test("gives the same result for random bodies in random chunks as for whole bodies", () => {
    const seed = Number(process.env["KIT_SEED"] ?? 1);
    const runs = Number(process.env["KIT_RUNS"] ?? 5000);
    const head = '\r\nContent-Disposition: form-data; name="a"\r\n\r\n';
    const tokens = [
      "--b",
      head,
      "\r\n",
      "\r\n--b",
      "--",
      "\r",
      "\n",
      "-",
      "b",
      " ",
      "x",
      "content-length: 1\r\n",
    ];
    let valid = 0;
    for (let run = 0; run < runs; run += 1) {
      let state = (seed * 65_537 + run) >>> 0;
      // Mulberry32
      const next = (limit: number): number => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
      };
      const middle = Array.from({ length: next(12) }, () => tokens[next(tokens.length)]!);
      const text = next(2) === 0 ? middle.join("") : `--b${head}${middle.join("")}\r\n--b--`;
      const body = Buffer.from(text);
      const chunks: Buffer[] = [];
      for (let at = 0; at < body.length;) {
        const length = 1 + next(6);
        chunks.push(body.subarray(at, at + length));
        at += length;
      }
      const whole = parseMultipart(body, "b");
      const parts = Array.isArray(whole) ? whole.map(shown) : undefined;
      assert.deepEqual(parseChunks(chunks, "b")?.map(shown), parts, `seed ${seed}, run ${run}`);
      if (parts !== undefined) valid += 1;
    }
    assert.ok(valid > runs / 50, `${valid} of ${runs} bodies are valid`);
  });

  test("buffers fewer bytes than a boundary has, even if a content looks like many starts of the boundary", () => {
    const parser = new MultipartParser("boundary");
    parser.push(Buffer.from('--boundary\r\nContent-Disposition: form-data; name="a"\r\n\r\n'));
    let [sent, received] = [0, 0];
    for (let count = 0; count < 100_000; count += 1) {
      const chunk = Buffer.from(count % 3 === 0 ? "\r\n--bound" : "\r");
      sent += chunk.length;
      parser.push(chunk);
      for (let step = parser.next(); step.kind !== "more"; step = parser.next()) {
        if (step.kind === "content") received += step.bytes.length;
      }
      assert.ok(sent - received < "\r\n--boundary".length, `${sent - received} bytes wait`);
    }
  });

  for (const length of [1, 1000]) {
    test(`refuses headers without an end before their limit is far exceeded, in chunks of ${length} bytes`, () => {
      const parser = new MultipartParser("boundary");
      parser.push(Buffer.from("--boundary\r\n"));
      let sent = 0;
      while (parser.next().kind === "more") {
        parser.push(Buffer.alloc(length, "a"));
        sent += length;
        assert.ok(sent < greatestPartHeaders + 2 * length + 8, `${sent} bytes`);
      }
      assert.equal(parser.next().kind, "mistake");
    });
  }
});
