// Tests that bytes in chunks of any size are joined, and that tiny chunks need little memory.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { ValidationFailure, Validator } from "@kit/types";
import * as fc from "fast-check";

import { CollectedBytes } from "../../src/bodies/collected-bytes.ts";
import { readLines } from "../../src/bodies/lines.ts";
import { readUploads } from "../../src/bodies/uploads.ts";
import { readFetchBody } from "../../src/fetch/read-body.ts";
import { memoryInUse, steadyHeap } from "../support/steady-heap.ts";

steadyHeap();

const mebibyte = 1024 * 1024;
/** Number of bytes that arrive one by one. As single chunks, they would need more than 500 times as much memory. */
const count = mebibyte - 1024;

describe("CollectedBytes", () => {
  test("joins chunks of any size in their order, also after its bytes were taken", () => {
    const lengths = fc.array(fc.oneof(fc.nat(3), fc.nat(2000), fc.constant(1024)), { maxLength: 60 });
    fc.assert(
      fc.property(fc.array(lengths, { maxLength: 4 }), (rounds) => {
        const collected = new CollectedBytes();
        let next = 0;
        for (const round of rounds) {
          const chunks = round.map((length) => Uint8Array.from({ length }, () => next++ % 251));
          for (const chunk of chunks) collected.add(chunk);
          const expected = Buffer.concat(chunks);
          assert.equal(collected.length, expected.length);
          assert.deepEqual(collected.take(), expected);
          assert.equal(collected.length, 0);
        }
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  test("forgets bytes that were not taken", () => {
    const collected = new CollectedBytes();
    for (let index = 0; index < 40; index += 1) collected.add(Uint8Array.of(index));
    collected.clear();
    collected.add(Uint8Array.of(7));
    assert.deepEqual([...collected.take()], [7]);
  });
});

/** Yields bytes one by one, and tells the memory when nearly all bytes were read. */
async function* bytes(text: string, tell: (memory: number) => void): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < text.length; index += 1) {
    if (index === count - 1) tell(memoryInUse());
    yield Buffer.from(text[index]!);
  }
}

const anything = {
  is: () => true,
  decode: (value: unknown) => value,
  failures: () => [],
} as unknown as Validator<unknown>;
const refuse = (failures: readonly ValidationFailure[]): Error => new Error(JSON.stringify(failures));

const readers: readonly [name: string, text: string, read: (chunks: AsyncIterable<Uint8Array>) => unknown][] =
  [
    [
      "a line",
      `"${"x".repeat(count)}"\n`,
      async (chunks) => {
        for await (const value of readLines(chunks, anything, refuse))
          assert.equal((value as string).length, count);
      },
    ],
    [
      "a part before an upload",
      `--b\r\ncontent-disposition: form-data; name="title"\r\n\r\n${"x".repeat(count)}\r\n--b--\r\n`,
      (chunks) =>
        readUploads(
          chunks,
          {
            format: "multipart",
            mediaTypes: ["multipart/form-data"],
            files: [{ name: "file", optional: true, many: false, streamed: true }],
            multipart: (read) => ({ title: read("title") }),
            validator: anything,
          },
          { type: "multipart/form-data", parameters: new Map([["boundary", "b"]]) },
          { refuse, partsTooLarge: (limit) => new Error(`more than ${limit} bytes`) },
        ),
    ],
    [
      "a request of fetch",
      "x".repeat(count),
      async (chunks) => {
        const init = { method: "POST", body: ReadableStream.from(chunks), duplex: "half" };
        const body = await readFetchBody(new Request("http://localhost/", init as RequestInit), mebibyte);
        assert.ok(body !== "too large" && body.length === count);
      },
    ],
  ];

for (const [name, text, read] of readers) {
  test(`${name} in chunks of one byte needs less than 32 MiB`, async () => {
    const before = memoryInUse();
    let during = Infinity;
    await read(bytes(text, (memory) => (during = memory)));
    const growth = (during - before) / mebibyte;
    assert.ok(growth < 32, `${growth} MiB`);
  });
}
