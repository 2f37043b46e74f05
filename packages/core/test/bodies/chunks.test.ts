// Random bodies in random chunks have the same result as the whole body: lines, and multipart bodies with uploads.
// `KIT_SEED` and `KIT_RUNS` are as in the other random tests.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { CompiledBody, Upload, ValidationFailure, Validator } from "@kit/types";
import * as fc from "fast-check";

import { readLines } from "../../src/bodies/lines.ts";
import { readUploads } from "../../src/bodies/uploads.ts";

const seed = Number(process.env["KIT_SEED"] ?? 1);
const runs = Number(process.env["KIT_RUNS"] ?? 3000);

class Refused extends Error {
  readonly failures: readonly ValidationFailure[];

  constructor(failures: readonly ValidationFailure[]) {
    super(JSON.stringify(failures));
    this.failures = failures;
  }
}

const refuse = (failures: readonly ValidationFailure[]): Error => new Refused(failures);

/** Texts with a meaning for the parsers, in any order, and the positions at which the body is cut. */
function bodies(
  tokens: readonly string[],
  framed: (text: string) => string,
): fc.Arbitrary<[Buffer, number[]]> {
  const text = fc.array(fc.constantFrom(...tokens), { maxLength: 14 }).map((list) => list.join(""));
  const body = fc.tuple(text, fc.boolean()).map(([inner, isFramed]) => (isFramed ? framed(inner) : inner));
  return body.chain((all) => {
    const bytes = Buffer.from(all, "latin1");
    const cuts = fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 8 });
    return fc.tuple(
      fc.constant(bytes),
      cuts.map((list) => list.toSorted((a, b) => a - b)),
    );
  });
}

/** Yields the parts of a body between the cuts. The memory of a part is its own. */
async function* cutAt(body: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const to of [...cuts, body.length]) {
    if (to > from) yield Uint8Array.from(body.subarray(from, to));
    from = to;
  }
}

function head(name: string, more = ""): string {
  return `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
}

/** Runs a reader for whole bodies and for chunks. Returns the number of bodies without a mistake. */
async function compared(
  values: fc.Arbitrary<[Buffer, number[]]>,
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<{ readonly failure?: unknown }>,
): Promise<number> {
  let valid = 0;
  const property = fc.asyncProperty(values, async ([body, cuts]) => {
    const whole = await read(cutAt(body, []));
    if (whole.failure === undefined) valid += 1;
    assert.deepEqual(await read(cutAt(body, cuts)), whole);
  });
  await fc.assert(property, { seed, numRuns: runs });
  return valid;
}

test("lines that arrive in random chunks give the same values and failure as lines that arrive together", async () => {
  const validator = {
    is: (value: unknown) => typeof value === "object" && value !== null,
    decode: (value: unknown) => value,
    failures: () => [{ path: "$", expected: "an object", received: "another value", rule: "type" }],
  } as unknown as Validator<unknown>;
  const tokens = [
    "\n",
    "\r\n",
    "\r",
    '{"a":1}',
    "[]",
    "1",
    "{",
    '"',
    "\\u0000",
    "\xc3\xa4",
    "\xff",
    " ",
    "\n\n",
  ];
  const values = bodies(tokens, (text) => `{"a":1}\n{"b":"${text.replaceAll(/[\r\n"\\]/g, "")}"}\n`);
  const valid = await compared(values, async (chunks) => {
    const read: unknown[] = [];
    try {
      for await (const value of readLines(chunks, validator, refuse)) read.push(value);
    } catch (failure) {
      return { read, failure: (failure as Refused).failures };
    }
    return { read };
  });
  assert.ok(valid > runs / 20, `${valid} of ${runs} bodies are valid`);
});

test("a multipart body that arrives in random chunks gives the same parts and failure as a body that arrives at once", async () => {
  const format: CompiledBody = {
    format: "multipart",
    mediaTypes: ["multipart/form-data"],
    files: [{ name: "file", optional: false, many: false, streamed: true, maxBytes: 40 }],
    multipart: (read) => ({ title: read("title") }),
  };
  const type = { type: "multipart/form-data", parameters: new Map([["boundary", "b"]]) };
  const file = head("file", '; filename="a"');
  const tokens = [
    head("title"),
    file,
    "\r\n",
    "\r\n--b",
    "--b--",
    "--",
    "\r",
    "\n",
    "x",
    "xxxxxxxxxxxxxxxx",
    "b",
    " ",
  ];
  const values = bodies(tokens, (text) => `${head("title")}Sea\r\n${file}${text}\r\n--b--\r\n`);
  const valid = await compared(values, async (chunks) => {
    const read: Record<string, unknown> = {};
    try {
      const result = await readUploads(chunks, format, type, {
        refuse,
        partsTooLarge: () => new Error("large"),
      });
      if (!("value" in result)) return { failure: "failures" in result ? result.failures : result };
      const { file: upload, ...fields } = result.value as { file: Upload };
      Object.assign(read, fields);
      const parts: Uint8Array[] = [];
      read["upload"] = parts;
      for await (const part of upload) parts.push(part);
      read["upload"] = Buffer.concat(parts).toString("latin1");
    } catch (failure) {
      // The content of an upload that fails depends on the chunks.
      delete read["upload"];
      return { ...read, failure: (failure as Refused).failures ?? String(failure) };
    }
    return read;
  });
  assert.ok(valid > runs / 20, `${valid} of ${runs} bodies are valid`);
});
