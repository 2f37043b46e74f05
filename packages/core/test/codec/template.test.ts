// Tests of template literal types: compares them with slow reference matchers, and measures the number of steps.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Automaton } from "../../src/codec/automaton.ts";
import type { TemplatePart } from "../../src/codec/string-test.ts";
import { template } from "../../src/codec/template.ts";

const text: TemplatePart = { hole: "string" };
const number: TemplatePart = { hole: "number" };
const bigint: TemplatePart = { hole: "bigint" };
const boolean: TemplatePart = { either: [["true"], ["false"]] };

const HOLES = {
  string: /^[^]*$/u,
  number:
    /^(?:\s*(?:[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)\s*|\s+)$/u,
  bigint: /^-?[0-9]+$/u,
};

/** Reference matcher that tries every division of the string into the parts. */
function fits(parts: readonly TemplatePart[], value: string): boolean {
  const [part, ...others] = parts;
  if (part === undefined) return value === "";
  if (typeof part === "string") return value.startsWith(part) && fits(others, value.slice(part.length));
  if ("either" in part) return part.either.some((sequence) => fits([...sequence, ...others], value));
  for (let end = 0; end <= value.length; end++) {
    if (HOLES[part.hole].test(value.slice(0, end)) && fits(others, value.slice(end))) return true;
  }
  return false;
}

/** Reference matcher that divides a string as TypeScript does: lazily, without the fixed text at the end. */
function divides(parts: readonly TemplatePart[], value: string): boolean {
  const joined: TemplatePart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === "string" && typeof last === "string") joined.splice(-1, 1, last + part);
    else if (part !== "") joined.push(part);
  }
  const behind = joined.at(-1);
  if (typeof behind === "string") {
    if (!value.endsWith(behind)) return false;
    joined.pop();
    value = value.slice(0, value.length - behind.length);
  }
  for (const [index, part] of joined.entries()) {
    if (typeof part === "string") {
      if (!value.startsWith(part)) return false;
      value = value.slice(part.length);
      continue;
    }
    if ("either" in part) throw new Error("a choice has no division of its own");
    const next = joined[index + 1];
    const first = [...value][0];
    const piece =
      next === undefined ? value : typeof next === "string" ? value.split(next)[0] : (first ?? undefined);
    if (piece === undefined || !HOLES[part.hole].test(piece)) return false;
    if (part.hole === "number" && !Number.isFinite(Number(piece))) return false;
    if (typeof next === "string" && !value.includes(next)) return false;
    value = value.slice(piece.length);
  }
  return value === "";
}

const TEMPLATES: readonly (readonly TemplatePart[])[] = [
  [],
  ["a"],
  [text],
  ["a", text],
  [text, "a"],
  ["a", text, "a"],
  ["aa", text, "aa"],
  [text, "@", text, ".", text],
  [text, "aba", text, "ab"],
  [text, "ab", "a", text],
  [text, text, "-", text, "", "-"],
  [number],
  [bigint],
  ["v", number, ".", number],
  [number, ".", number, ".", number],
  [number, number],
  [bigint, number, bigint],
  [number, text],
  [text, number],
  [text, "-", number, text, "e"],
  [number, "e", number],
  [number, "1"],
  ["1", bigint],
  ["is-", boolean],
  [text, boolean, text],
  [{ either: [["a"], ["ab"], [number, "-"], [text, "b"]] }, "b", text],
  [{ either: [[text], ["a"]] }, "."],
  [{ either: [[]] }, "a"],
  ["a", { either: [] }],
  ["é😀", text, "\u2028"],
];

const SMALL = [
  "a",
  "b",
  "-",
  ".",
  "@",
  "1",
  "0",
  "e",
  "E",
  "+",
  "v",
  "true",
  "false",
  "is-",
  "é",
  "😀",
  "\u2028",
  "\n",
];

describe("a template literal type accepts the strings that its parts can form", () => {
  let state = 5;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  /** Returns a random string that matches the parts in most cases. */
  const make = (parts: readonly TemplatePart[]): string =>
    parts
      .map((part) => {
        if (typeof part === "string") return part;
        if ("either" in part)
          return part.either.length === 0 ? "" : make(part.either[random(part.either.length)] ?? []);
        if (part.hole === "bigint") return ["0", "-1", "01", "12"][random(4)];
        if (part.hole === "number")
          return ["0", "-1.5", "1e5", "2.50E-07", "11", " .5", "+1.\ufeff", "0x1E", "\n"][random(9)];
        return Array.from({ length: random(3) }, () => SMALL[random(SMALL.length)]).join("");
      })
      .join("");
  for (const parts of TEMPLATES) {
    test(JSON.stringify(parts), () => {
      const texts = template(parts);
      const choices = parts.some((part) => typeof part !== "string" && "either" in part);
      const machine = new Automaton(parts);
      let taken = 0;
      for (let count = 0; count < 1_500; count++) {
        let value = make(parts);
        for (let change = random(3); change > 0; change--) {
          const at = random(value.length + 1);
          value = value.slice(0, at) + (SMALL[random(SMALL.length)] ?? "") + value.slice(at + random(2));
        }
        const expected = choices ? fits(parts, value) : divides(parts, value);
        assert.equal(texts.test(value), expected, JSON.stringify(value));
        // The automaton tries every division.
        assert.equal(machine.test(value), fits(parts, value), JSON.stringify(value));
        if (expected) taken++;
      }
      const none = parts.some(
        (part) => typeof part !== "string" && "either" in part && part.either.length === 0,
      );
      assert.equal(taken > 0, !none);
    });
  }
});

describe("a placeholder ends at the first occurrence of the text after it, as in TypeScript", () => {
  const range = [number, "-", number];
  const size = [text, "x", bigint, "!"];
  const pair = [text, number];
  for (const [parts, value, expected] of [
    [range, "1-2", true],
    [range, "1--2", true],
    [range, "1e5-2", true],
    [range, ".5-0x1F", true],
    [range, " +1.-\u00a0", true],
    [range, "1-0o8", false],
    [range, "1-0x", false],
    [range, "1-1e999", false],
    [range, "1-Infinity", false],
    [range, "1-\u00851", false],
    [range, "1-", false],
    [range, "-1-2", false],
    [range, "1-2-3", false],
    [range, "1e-5-2", false],
    [size, "x1!", true],
    [size, "ax-1!", true],
    [size, "axbx1!", false],
    [size, "ax1", false],
    [pair, "a1", true],
    [pair, "1", false],
    [pair, "ab1", false],
    [pair, "", false],
    [[text, text], "", false],
    [[number, number], "-12", false],
    [[number, number], " 2", true],
    [[number, number], "1-2", true],
    [["aa", text, "aa"], "aaa", false],
  ] as const)
    test(`${JSON.stringify(parts)} ${expected ? "accepts" : "refuses"} ${JSON.stringify(value)}`, () =>
      assert.equal(template(parts).test(value), expected));
});

/** Inputs that make a backtracking engine slow. */
const HOSTILE: readonly (readonly [readonly TemplatePart[], string])[] = [
  [[text, "@", text, ".", text], "@"],
  [[text, "a", text, "a", text, "a", text, "b"], "a"],
  [[number, number, number], "1"],
  [[text, number], "1"],
  [[bigint, bigint, "x"], "1"],
  [[text, "1e", number, text, "1.", bigint, "x"], "1e1.1"],
  [[{ either: [[text], ["a", text]] }, "a", { either: [["a"], ["aa"], [text]] }, "b"], "a"],
];

describe("a template literal type is matched in linear time", () => {
  for (const [parts, pump] of HOSTILE) {
    test(`for ${JSON.stringify(parts)} and many repetitions of ${pump}`, () => {
      const work = (times: number): number => {
        const machine = new Automaton(parts);
        machine.test(`${pump.repeat(times)}!`);
        return machine.stepCount;
      };
      const [once, many] = [work(1_000), work(64_000)];
      assert.ok(many <= 64 * once, `${once} for a text, ${many} for one 64 times as long`);
      assert.ok(many <= 64_001 * pump.length + 1_000, `${many} for ${64_000 * pump.length} units`);
    });
  }

  test("by searching each text between `${string}` once, from the end of the previous match", () => {
    const texts = template([text, "@", text, ".", text, "!"]);
    const value = `${"@".repeat(10_000)}${".".repeat(10_000)}`;
    let searched = 0;
    const watched = {
      length: value.length,
      startsWith: (part: string) => value.startsWith(part),
      endsWith: () => true,
      indexOf: (part: string, from: number) => {
        const found = value.indexOf(part, from);
        searched += (found < 0 ? value.length : found) - from;
        return found;
      },
    };
    assert.equal(texts.test(watched as unknown as string), true);
    assert.ok(searched <= value.length, `${searched} units of ${value.length} were searched`);
  });

  test("with a limited number of cached states", () => {
    // The automaton must remember which of the last twenty units were `a`: a million sets of states.
    const tail: TemplatePart[] = Array.from({ length: 20 }, () => ({ either: [["a"], ["b"]] }));
    const machine = new Automaton([text, "a", ...tail]);
    let state = 9;
    const value = Array.from({ length: 50_000 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (state >> 16) % 2 === 0 ? "a" : "b";
    }).join("");
    assert.equal(machine.test(value), value.at(-21) === "a");
    assert.ok(machine.stepCount <= 50_000 * 100, `${machine.stepCount} for 50000 units`);
    assert.ok(machine.known <= 500);
  });
});
