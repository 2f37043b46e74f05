import { Automaton } from "./automaton.ts";
import type { HolePart, StringTest, TemplatePart } from "./string-test.ts";

/**
 * Creates the test of a template literal type. Strings are divided as TypeScript divides them.
 *
 * A regular expression with the same meaning would try each division of an invalid string into parts.
 * `${string}@${string}.${string}` has as many divisions as the square of the length. This test takes linear
 * time.
 *
 * @example
 * ```ts
 * template(["user-", { hole: "number" }]).test("user-7"); // true
 * template(["user-", { hole: "number" }]).test("user-x"); // false
 * ```
 */
export function template(parts: readonly TemplatePart[]): StringTest {
  const fixed: string[] = [""];
  const holes: HolePart["hole"][] = [];
  for (const part of parts) {
    if (typeof part === "string") fixed[fixed.length - 1] += part;
    else if ("hole" in part) {
      holes.push(part.hole);
      fixed.push("");
    } else return new Automaton(parts);
  }
  return holes.length === 0 ? new Automaton(parts) : new DividedTemplate(fixed, holes, parts);
}

const INTEGER = /^-?[0-9]+$/;

/** Tests of the strings that replace a placeholder. As in TypeScript, the empty string is no number, although `Number("")` is 0. */
const HOLE_TESTS: Readonly<Record<Exclude<HolePart["hole"], "string">, (text: string) => boolean>> = {
  number: (text) => text !== "" && Number.isFinite(Number(text)),
  bigint: (text) => INTEGER.test(text),
};

/**
 * Template of constant texts with placeholders between them. As in TypeScript, a placeholder ends at the
 * first occurrence of the constant text after it, and a placeholder directly before another placeholder is
 * one character. `-1-2` does not match `${number}-${number}`, because nothing is before the first `-`.
 */
class DividedTemplate implements StringTest {
  readonly parts: readonly TemplatePart[];
  readonly #first: string;
  readonly #last: string;
  readonly #holes: readonly {
    readonly fills: ((text: string) => boolean) | undefined;
    readonly following: string;
  }[];
  readonly #least: number;

  /** Creates the test. `texts` are the fixed texts before, between and after the placeholders. */
  constructor(texts: readonly string[], holes: readonly HolePart["hole"][], parts: readonly TemplatePart[]) {
    this.parts = parts;
    this.#first = texts[0] ?? "";
    this.#last = texts.at(-1) ?? "";
    this.#holes = holes.map((hole, index) => ({
      fills: hole === "string" ? undefined : HOLE_TESTS[hole],
      following: texts[index + 1] ?? "",
    }));
    this.#least = this.#first.length + this.#last.length;
  }

  test(text: string): boolean {
    if (text.length < this.#least || !text.startsWith(this.#first) || !text.endsWith(this.#last))
      return false;
    const end = text.length - this.#last.length;
    let from = this.#first.length;
    for (const [index, { fills, following }] of this.#holes.entries()) {
      let to = end;
      if (index < this.#holes.length - 1) {
        to = following === "" ? from + unitsAt(text, from) : text.indexOf(following, from);
        if (to < 0 || to + following.length > end) return false;
      }
      if (fills !== undefined && !fills(text.slice(from, to))) return false;
      from = to + following.length;
    }
    return true;
  }
}

/** Returns the number of UTF-16 code units of the character at an index. */
function unitsAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
