import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/** Response that a case expects: the request itself, or the code of an error. */
export interface RawAnswer {
  readonly status: number;
  readonly optional?: true;
  readonly method?: string;
  readonly target?: string;
  readonly body?: string;
  readonly code?: string;
}

/** Case of `conformance/http-raw.json`. The property `about` of that file explains the properties of a case. */
export interface RawCase {
  readonly name: string;
  readonly bytes: string | { readonly parts: readonly (string | readonly [string, number])[] };
  readonly answers: readonly RawAnswer[];
  readonly then: "open" | "close" | "wait";
  readonly timeout?: number | null;
}

export function readRawCases(): readonly RawCase[] {
  const file = new URL("../../conformance/http-raw.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { cases: RawCase[] }).cases;
}

/** Returns the bytes that the client sends in a case. */
export function rawBytes({ bytes }: RawCase): Buffer {
  const text =
    typeof bytes === "string"
      ? bytes
      : bytes.parts.map((part) => (typeof part === "string" ? part : part[0].repeat(part[1]))).join("");
  return Buffer.from(text, "latin1");
}

/** Checks that the received data, as a Latin-1 string, consists of the expected responses in order. */
export function checkRaw(expected: readonly RawAnswer[], text: string): void {
  let rest = text;
  for (const answer of expected) {
    const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(rest)?.[1]);
    if (answer.optional === true && status !== answer.status) continue;
    assert.equal(status, answer.status, JSON.stringify(text.slice(0, 600)));
    const end = rest.indexOf("\r\n\r\n") + 4;
    if (status >= 200) assert.match(rest.slice(0, end), /\r\nx-content-type-options: nosniff\r\n/i);
    const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(rest.slice(0, end))?.[1] ?? 0);
    const hasBody = status >= 200 && answer.method !== "HEAD";
    const body = hasBody ? rest.slice(end, end + length) : "";
    rest = rest.slice(end + body.length);
    if (hasBody) checkBody(answer, Buffer.from(body, "latin1").toString());
  }
  assert.equal(rest, "", "there is more");
}

function checkBody({ method, target, body, code }: RawAnswer, text: string): void {
  const said = JSON.parse(text) as { readonly error?: { readonly code: string } };
  if (code !== undefined) assert.equal(said.error?.code, code, text);
  if (method !== undefined) assert.partialDeepStrictEqual(said, { method, target });
  if (body !== undefined) assert.partialDeepStrictEqual(said, { body });
}
