import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";

import { growth } from "../support/growth.ts";

/** Verdict of the build for a pattern, with the string that the build considers the worst case. */
interface Row {
  readonly pattern: string;
  readonly verdict: "linear" | "polynomial" | "exponential" | "unsupported";
  readonly attack?: { readonly prefix: string; readonly pump: string; readonly suffix: string };
}

const { patterns } = JSON.parse(
  await readFile(new URL("../../../../conformance/patterns.json", import.meta.url), "utf8"),
) as { readonly patterns: readonly Row[] };

type Attack = NonNullable<Row["attack"]>;

const attacks = patterns.flatMap(({ attack }) => (attack === undefined ? [] : [attack]));

function textOf({ prefix, pump, suffix }: Attack, times: number): string {
  return prefix + pump.repeat(times) + suffix;
}

function milliseconds(pattern: RegExp, text: string): number {
  const start = performance.now();
  pattern.test(text);
  return performance.now() - start;
}

describe("patterns that the build refuses block the engine", () => {
  for (const { pattern, verdict, attack } of patterns) {
    if (attack === undefined) continue;
    test(`${verdict}: ${pattern}`, () => {
      const engine = new RegExp(pattern, "u");
      if (verdict === "exponential") {
        let times = 1;
        while (milliseconds(engine, textOf(attack, times)) < 40 && times < 100) times++;
        assert.ok(times < 100, "a hundred repetitions took less than 40 milliseconds");
        return;
      }
      // Finds a number of repetitions that takes long enough to be measured, then uses four times as many.
      let times = 250;
      while (milliseconds(engine, textOf(attack, times)) < 4) {
        times *= 2;
        assert.ok(times < 200_000, "long texts took no time");
      }
      const best = (text: string): number => Math.min(milliseconds(engine, text), milliseconds(engine, text));
      let grown = 0;
      // A busy machine may distort one measurement, but not four.
      for (let attempt = 0; attempt < 4 && grown <= 6; attempt++, times *= 2) {
        grown = best(textOf(attack, times * 4)) / best(textOf(attack, times));
      }
      assert.ok(grown > 6, `four times the text took ${grown} times as long`);
    });
  }
});

describe("patterns that the build accepts take linear time on hostile strings", () => {
  let state = 11;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  for (const { pattern, verdict } of patterns) {
    if (verdict !== "linear") continue;
    test(pattern, () => {
      const engine = new RegExp(pattern, "u");
      // Characters of the pattern, and characters of each usual class.
      const letters = [...new Set([...pattern, ...'a0A -_.,/:@"\\é\n!'])];
      const pieces = [
        "a",
        "0",
        ...attacks
          .slice(random(20))
          .flatMap(({ pump }) => pump)
          .slice(0, 4),
      ];
      for (let count = 0; count < 8; count++) {
        pieces.push(Array.from({ length: 1 + random(4) }, () => letters[random(letters.length)]).join(""));
      }
      for (const piece of pieces) {
        for (const [prefix, suffix] of [
          ["", "\n!"],
          ["", "\u0000"],
          [letters[random(letters.length)] ?? "", letters[random(letters.length)] ?? ""],
        ] as const) {
          const make = (size: number): string => prefix + piece.repeat(size / piece.length) + suffix;
          const exponent = growth(make, (text) => engine.test(text), 8_000);
          assert.ok(exponent < 1.7, `${JSON.stringify(piece)}: the time grows with the power ${exponent}`);
        }
      }
    });
  }
});
