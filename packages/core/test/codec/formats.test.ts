import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";

import {
  explain,
  isCalendarDate,
  isDateTime,
  isEmail,
  isIpv4,
  isIpv6,
  isUri,
  isUuid,
  type Shape,
} from "@kit/core/codec";

import samples from "../../../testing/src/values/samples.json" with { type: "json" };
import { growth } from "../support/growth.ts";

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  email: isEmail,
  uri: isUri,
  uuid: isUuid,
  date: isCalendarDate,
  "date-time": isDateTime,
  ipv4: isIpv4,
  ipv6: isIpv6,
};

interface Vectors {
  readonly formats: Readonly<
    Record<string, { readonly yes: readonly string[]; readonly no: readonly string[] }>
  >;
}

const vectors = JSON.parse(
  await readFile(new URL("../../../../conformance/formats.json", import.meta.url), "utf8"),
) as Vectors;

/** Returns a string as the name of a test shows it: quoted, and cut after 60 characters. */
function titleOf(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

test("the conformance vectors contain cases for every format", () => {
  assert.deepEqual(Object.keys(vectors.formats).toSorted(), Object.keys(FORMATS).toSorted());
});

for (const [name, is] of Object.entries(FORMATS)) {
  describe(name, () => {
    for (const text of vectors.formats[name]?.yes ?? []) {
      test(`accepts ${titleOf(text)}`, () => assert.equal(is(text), true));
    }
    for (const text of vectors.formats[name]?.no ?? []) {
      test(`refuses ${titleOf(text)}`, () => assert.equal(is(text), false));
    }
  });
}

for (const [name, { valid, broken }] of Object.entries(samples.formats)) {
  test(`accepts the valid sample of ${name}, and the advice about each broken sample contains the valid sample`, () => {
    const shape = { kind: "string", format: name } as Shape;
    assert.deepEqual(explain(shape, valid, "wire"), []);
    for (const text of broken) {
      const [failure] = explain(shape, text, "wire");
      assert.equal(failure?.suggestion, `write it like "${valid}"`, text);
    }
  });
}

for (const kind of ["date", "bytes", "bigint"] as const) {
  test(`accepts the valid sample of the type ${kind} and refuses the broken samples`, () => {
    const { valid, broken } = samples.types[kind];
    assert.deepEqual(explain({ kind }, valid, "wire"), []);
    for (const value of broken)
      assert.equal(explain({ kind }, value, "wire").length, 1, JSON.stringify(value));
  });
}

/** Group of cases in the test suite of JSON Schema. */
interface SuiteGroup {
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

describe("JSON Schema's own test suite", () => {
  for (const [name, is] of Object.entries(FORMATS)) {
    test(`agrees with kit in every case of optional/format/${name}.json`, async () => {
      const file = new URL(`../../../../conformance/json-schema/${name}.json`, import.meta.url);
      const groups = JSON.parse(await readFile(file, "utf8")) as SuiteGroup[];
      const cases = groups.flatMap((group) => group.tests);
      assert.ok(cases.length > 15);
      // In JSON Schema a format ignores values that are not strings. In kit the type requires a string too.
      const wrong = cases.filter(({ data, valid }) => (typeof data !== "string" || is(data)) !== valid);
      assert.deepEqual(wrong, []);
    });
  }
});

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

/** Patterns that follow the grammars of the standards, without any optimization. */
const GRAMMARS: Readonly<Record<string, RegExp>> = ((): Record<string, RegExp> => {
  const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  const ipv4 = `${octet}(?:\\.${octet}){3}`;
  const group = "[0-9A-Fa-f]{1,4}";
  const last = `(?:${group}:${group}|${ipv4})`;
  const upTo = (most: number): string => `(?:(?:${group}:){0,${most}}${group})?`;
  const ipv6 = `(?:${[
    `(?:${group}:){6}${last}`,
    `::(?:${group}:){5}${last}`,
    ...[4, 3, 2, 1].map(
      (after, most) => `${most === 0 ? `(?:${group})?` : upTo(most)}::(?:${group}:){${after}}${last}`,
    ),
    `${upTo(4)}::${last}`,
    `${upTo(5)}::${group}`,
    `${upTo(6)}::`,
  ].join("|")})`;
  const escape = "%[0-9A-Fa-f]{2}";
  const pchar = `(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|${escape})`;
  const name = `(?:[A-Za-z0-9._~!$&'()*+,;=-]|${escape})*`;
  const user = `(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|${escape})*@)?`;
  const future = "[vV][0-9A-Fa-f]+\\.[A-Za-z0-9._~!$&'()*+,;=:-]+";
  const authority = `${user}(?:\\[(?:${ipv6}|${future})\\]|${name})(?::[0-9]*)?`;
  const hierarchy = `(?://${authority}(?:/${pchar}*)*|/(?:${pchar}+(?:/${pchar}*)*)?|${pchar}+(?:/${pchar}*)*|)`;
  const tail = `(?:${pchar}|[/?])*`;
  const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
  const label = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
  const quoted = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
  return {
    ipv4: whole(ipv4),
    ipv6: whole(ipv6),
    uri: whole(`[A-Za-z][A-Za-z0-9+.-]*:${hierarchy}(?:\\?${tail})?(?:#${tail})?`),
    email: whole(
      `(?:${atom}(?:\\.${atom})*|${quoted})@(?:${label}(?:\\.${label})*|\\[(?:${ipv4}|[iI][pP][vV]6:${ipv6})\\])`,
    ),
    uuid: whole("[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"),
  };
})();

/** Fragments for mutations of valid strings. */
const PIECES: Readonly<Record<string, readonly string[]>> = {
  ipv4: ["0", "1", "9", "25", "255", "256", ".", ".", "."],
  ipv6: ["0", "a", "F1", "1234", "12345", ":", ":", "::", "1.2.3.4", ".", "g"],
  uri: ["a", "h:", "//", "/", "?", "#", ":", "@", "[::1]", "[v1.x]", "[", "]", "%4a", "%", "80", " ", "é"],
  email: ["a", "b", "-", ".", "@", '"', "\\", " ", "[", "]", "IPv6:", "::1", "192.0.2.1", "é"],
  uuid: ["0", "a", "F", "-", "1234", "12345678", "123456789abc", "g"],
};

test("every format agrees with the grammar of its standard for mutations of valid strings", () => {
  let state = 7;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  for (const [name, grammar] of Object.entries(GRAMMARS)) {
    const is = FORMATS[name] as (text: string) => boolean;
    const seeds = vectors.formats[name]?.yes.filter((text) => text.length < 60) ?? [];
    const pieces = PIECES[name] ?? [];
    const count = { yes: 0, no: 0 };
    for (let round = 0; round < 20_000; round++) {
      let text = seeds[random(seeds.length)] ?? "";
      for (let edits = 1 + random(3); edits > 0; edits--) {
        const at = random(text.length + 1);
        const piece = random(3) === 0 ? "" : (pieces[random(pieces.length)] ?? "");
        text = text.slice(0, at) + piece + text.slice(at + random(3));
      }
      // The length limits are not part of the grammar.
      const expected = grammar.test(text);
      assert.equal(is(text), expected, `${name} ${JSON.stringify(text)}`);
      count[expected ? "yes" : "no"]++;
    }
    assert.ok(count.yes > 500 && count.no > 500, `${name} ${JSON.stringify(count)}`);
  }
});

test("checking a format takes at most linear time", () => {
  const hostile: readonly ((size: number) => string)[] = [
    (size) => "a.".repeat(size),
    (size) => `${"a".repeat(size)}@`,
    (size) => `"${"\\a".repeat(size)}`,
    (size) => `a@${"a-".repeat(size)}`,
    (size) => `http:${"/".repeat(size)}\n`,
    (size) => `http://${"%41".repeat(size)}%`,
    (size) => `http://${"a:".repeat(size)}[`,
    (size) => `http://[${"[".repeat(size)}`,
    (size) => `http://[v${"1".repeat(size)}`,
    (size) => `http://h${"/a".repeat(size)}?${"?".repeat(size)}#${"#".repeat(size)}`,
    (size) => ":".repeat(size),
    (size) => `2026-01-01T00:00:00.${"9".repeat(size)}`,
  ];
  for (const make of hostile) {
    for (const [name, is] of Object.entries(FORMATS)) {
      const exponent = growth(make, is, 20_000);
      assert.ok(exponent < 1.6, `${name} grows with the power ${exponent} on ${titleOf(make(20))}`);
    }
  }
});
