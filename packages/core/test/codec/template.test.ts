// Texts of template literal types: held against a slow matcher that tries every division, and for how much is looked at.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Automaton } from "../../src/codec/automaton.ts";
import { template, type TemplatePart } from "../../src/codec/template.ts";

const text: TemplatePart = { hole: "string" };
const number: TemplatePart = { hole: "number" };
const bigint: TemplatePart = { hole: "bigint" };
const boolean: TemplatePart = { either: [["true"], ["false"]] };

/** Every division is tried. */
function fits(parts: readonly TemplatePart[], value: string): boolean {
  const [part, ...others] = parts;
  if (part === undefined) return value === "";
  if (typeof part === "string") return value.startsWith(part) && fits(others, value.slice(part.length));
  if ("either" in part) return part.either.some((sequence) => fits([...sequence, ...others], value));
  const hole = {
    string: /^[^]*$/u,
    number: /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/u,
    bigint: /^-?[0-9]+$/u,
  }[part.hole];
  for (let end = 0; end <= value.length; end++) {
    if (hole.test(value.slice(0, end)) && fits(others, value.slice(end))) return true;
  }
  return false;
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

describe("a template literal type takes what its parts can make", () => {
  let state = 5;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  /** A text that fits in one way, as far as that can be had at random. */
  const make = (parts: readonly TemplatePart[]): string =>
    parts
      .map((part) => {
        if (typeof part === "string") return part;
        if ("either" in part)
          return part.either.length === 0 ? "" : make(part.either[random(part.either.length)] ?? []);
        if (part.hole === "bigint") return ["0", "-1", "01", "12"][random(4)];
        if (part.hole === "number") return ["0", "-1.5", "1e5", "2.50E-07", "11"][random(5)];
        return Array.from({ length: random(3) }, () => SMALL[random(SMALL.length)]).join("");
      })
      .join("");
  for (const parts of TEMPLATES) {
    test(JSON.stringify(parts), () => {
      const texts = template(parts);
      // What `template` chooses for templates of nothing but texts must say the same as the general machine.
      const machine = new Automaton(parts);
      let taken = 0;
      for (let count = 0; count < 1_500; count++) {
        let value = make(parts);
        for (let change = random(3); change > 0; change--) {
          const at = random(value.length + 1);
          value = value.slice(0, at) + (SMALL[random(SMALL.length)] ?? "") + value.slice(at + random(2));
        }
        const expected = fits(parts, value);
        assert.equal(texts.test(value), expected, JSON.stringify(value));
        assert.equal(machine.test(value), expected, JSON.stringify(value));
        if (expected) taken++;
      }
      const none = parts.some(
        (part) => typeof part !== "string" && "either" in part && part.either.length === 0,
      );
      assert.equal(taken > 0, !none);
    });
  }
});

/** Hostile to an engine that backtracks. */
const HOSTILE: readonly (readonly [readonly TemplatePart[], string])[] = [
  [[text, "@", text, ".", text], "@"],
  [[text, "a", text, "a", text, "a", text, "b"], "a"],
  [[number, number, number], "1"],
  [[text, number], "1"],
  [[bigint, bigint, "x"], "1"],
  [[text, "1e", number, text, "1.", bigint, "x"], "1e1.1"],
  [[{ either: [[text], ["a", text]] }, "a", { either: [["a"], ["aa"], [text]] }, "b"], "a"],
];

describe("a text is looked at once", () => {
  for (const [parts, pump] of HOSTILE) {
    test(`${JSON.stringify(parts)} of many ${pump}`, () => {
      const work = (times: number): number => {
        const machine = new Automaton(parts);
        machine.test(`${pump.repeat(times)}!`);
        return machine.work;
      };
      const [once, many] = [work(1_000), work(64_000)];
      assert.ok(many <= 64 * once, `${once} for a text, ${many} for one 64 times as long`);
      assert.ok(many <= 64_001 * pump.length + 1_000, `${many} for ${64_000 * pump.length} units`);
    });
  }

  test("texts between `${string}` are each searched for once, from where the last was found", () => {
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

  test("what is known of texts is bounded", () => {
    // The machine has to remember which of the last twenty units were `a`: a million sets of states.
    const tail: TemplatePart[] = Array.from({ length: 20 }, () => ({ either: [["a"], ["b"]] }));
    const machine = new Automaton([text, "a", ...tail]);
    let state = 9;
    const value = Array.from({ length: 50_000 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (state >> 16) % 2 === 0 ? "a" : "b";
    }).join("");
    assert.equal(machine.test(value), value.at(-21) === "a");
    assert.ok(machine.work <= 50_000 * 100, `${machine.work} for 50000 units`);
    assert.ok(machine.known <= 500);
  });
});
