import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { isBoundary, type MultipartPart, parseMultipart } from "../../src/bodies/multipart.ts";

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

/** Returns the parts of a case's body. `undefined` if the body is refused. */
function parse({ body, boundary = "boundary", fill }: Case): MultipartPart[] | undefined {
  if (!isBoundary(boundary)) return undefined;
  const filled = fill === undefined ? body : body.replace("%s", () => fill[0].repeat(fill[1]));
  const parsed = parseMultipart(Buffer.from(filled, "latin1"), boundary);
  return "expected" in parsed ? undefined : parsed;
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

  test("needs time in proportion to a body whose content has many starts of a boundary", () => {
    const content = "\r\n--boundar".repeat(200_000);
    const body = `--boundary\r\nContent-Disposition: form-data; name="a"\r\n\r\n${content}\r\n--boundary--`;
    assert.equal(parse({ name: "", body })?.[0]?.bytes.length, content.length);
  });
});
