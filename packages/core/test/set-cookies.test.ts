// Checks the cookies that responses set, and signed cookies, against the cases that all runtimes share:
// conformance/set-cookies.json.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import type { CookieOptions } from "@kit/core";
import { Cookies } from "../src/cookies/cookies.ts";

/** Case that sets a cookie. The property `about` of the file explains the properties. */
interface SetCase {
  readonly name: string;
  readonly development?: true;
  readonly keys?: readonly string[];
  readonly cookie: Omit<CookieOptions, "expires"> & {
    readonly name: string;
    readonly value: string | null;
    readonly expires?: string;
  };
}

interface Vectors {
  readonly keys: Readonly<Record<string, string>>;
  readonly written: readonly (SetCase & { readonly line: string })[];
  readonly refused: readonly (SetCase & { readonly problem: string })[];
  readonly signed: readonly {
    readonly name: string;
    readonly keys: readonly string[];
    readonly header: string | null;
    readonly value: string | null;
  }[];
}

const vectors = JSON.parse(
  readFileSync(new URL("../../../conformance/set-cookies.json", import.meta.url), "utf8"),
) as Vectors;

function cookiesOf(names: readonly string[] = [], isSecureByDefault = true): Cookies {
  return new Cookies(
    names.map((name) => vectors.keys[name]!),
    isSecureByDefault,
  );
}

function lineOf({ development, keys, cookie: { name, value, expires, ...options } }: SetCase): string {
  const end = expires === undefined ? {} : { expires: new Date(expires) };
  return cookiesOf(keys, development !== true).write(name, value, { ...options, ...end }).line;
}

describe("conformance vectors of cookies that responses set", () => {
  for (const one of vectors.written) test(one.name, () => assert.equal(lineOf(one), one.line));
});

describe("conformance vectors of cookies that are refused", () => {
  for (const one of vectors.refused) {
    test(one.name, () =>
      assert.throws(
        () => lineOf(one),
        ({ message }: Error) => message.includes(one.problem),
      ),
    );
  }
});

describe("conformance vectors of signed cookies", () => {
  for (const { name, keys, header, value } of vectors.signed) {
    test(name, () =>
      assert.equal(cookiesOf(keys).readSigned("user", header ?? undefined), value ?? undefined),
    );
  }
});

test("the file has cases of each kind", () => {
  const { written, refused, signed } = vectors;
  assert.ok(written.length > 30 && refused.length > 20 && signed.length > 20);
});
