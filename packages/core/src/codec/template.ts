import { Automaton } from "./automaton.ts";

/** What says whether a text is one of those that are meant: a template literal type, or a regular expression. */
export interface TextTest {
  test(text: string): boolean;
  /** Of a template literal type: what its texts are made of, for who makes some. */
  readonly parts?: readonly TemplatePart[];
}

/** A part of a template literal type: fixed text, or a hole. */
export type TemplatePart = string | HolePart | EitherPart;

/** A hole that any text, a number as JSON writes it, or whole digits fill. */
export interface HolePart {
  readonly hole: "string" | "number" | "bigint";
}

/** A hole that one of several sequences fills. None at all is a hole that nothing fills. */
export interface EitherPart {
  readonly either: readonly (readonly TemplatePart[])[];
}

/**
 * The texts of a template literal type, divided as TypeScript divides them.
 *
 * A regular expression would say the same, but an engine that backtracks tries each division of a wrong text, of which
 * `${string}@${string}.${string}` has as many as the square of its length. Here the work grows with the length alone.
 */
export function template(parts: readonly TemplatePart[]): TextTest {
  const fixed: string[] = [""];
  const holes: HolePart["hole"][] = [];
  for (const part of parts) {
    if (typeof part === "string") fixed[fixed.length - 1] += part;
    else if ("hole" in part) {
      holes.push(part.hole);
      fixed.push("");
    } else return new Automaton(parts);
  }
  return holes.length === 0 ? new Automaton(parts) : new Divided(fixed, holes, parts);
}

/** Tests whether a text fills a hole. */
const FILLS: Readonly<Record<Exclude<HolePart["hole"], "string">, RegExp>> = {
  number: /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/,
  bigint: /^-?[0-9]+$/,
};

/**
 * Fixed texts with holes in between. As in TypeScript, a hole ends where the text behind it first occurs, and a hole with another
 * hole right behind it is one character: `-1-2` is no `${number}-${number}`, since nothing stands before the first `-`.
 */
class Divided implements TextTest {
  readonly parts: readonly TemplatePart[];
  readonly #first: string;
  readonly #last: string;
  readonly #holes: readonly { readonly fills: RegExp | undefined; readonly behind: string }[];
  readonly #least: number;

  /** `texts` stand before, between and behind the holes. */
  constructor(texts: readonly string[], holes: readonly HolePart["hole"][], parts: readonly TemplatePart[]) {
    this.parts = parts;
    this.#first = texts[0] ?? "";
    this.#last = texts.at(-1) ?? "";
    this.#holes = holes.map((hole, index) => ({
      fills: hole === "string" ? undefined : FILLS[hole],
      behind: texts[index + 1] ?? "",
    }));
    this.#least = this.#first.length + this.#last.length;
  }

  test(text: string): boolean {
    if (text.length < this.#least || !text.startsWith(this.#first) || !text.endsWith(this.#last))
      return false;
    const end = text.length - this.#last.length;
    let from = this.#first.length;
    for (const [index, { fills, behind }] of this.#holes.entries()) {
      let to = end;
      if (index < this.#holes.length - 1) {
        to = behind === "" ? from + unitsAt(text, from) : text.indexOf(behind, from);
        if (to < 0 || to + behind.length > end) return false;
      }
      if (fills !== undefined && !fills.test(text.slice(from, to))) return false;
      from = to + behind.length;
    }
    return true;
  }
}

/** Number of UTF-16 units of the character at an index. */
function unitsAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
