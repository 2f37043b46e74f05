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
 * The texts of a template literal type: all that its parts can make, in whichever way they divide the text.
 *
 * A regular expression would say the same, but an engine that backtracks tries each division of a wrong text, of which
 * `${string}@${string}.${string}` has as many as the square of its length. Here the work grows with the length alone.
 */
export function template(parts: readonly TemplatePart[]): TextTest {
  const fixed = fixedTexts(parts);
  return fixed === undefined ? new Automaton(parts) : new Between(fixed, parts);
}

/** The texts between the holes where all of these are `${string}`; nothing where there is another kind of hole. */
function fixedTexts(parts: readonly TemplatePart[]): string[] | undefined {
  const texts = [""];
  for (const part of parts) {
    if (typeof part === "string") texts[texts.length - 1] += part;
    else if ("hole" in part && part.hole === "string") texts.push("");
    else return undefined;
  }
  return texts;
}

/**
 * Texts with anything in between. Taking the first occurrence of each is exact: what is left for the next ones is never less
 * than with a later occurrence.
 */
class Between implements TextTest {
  readonly parts: readonly TemplatePart[];
  readonly #first: string;
  readonly #inner: readonly string[];
  /** Behind the last hole; nothing where there is no hole. */
  readonly #last: string | undefined;
  readonly #least: number;

  constructor(texts: readonly string[], parts: readonly TemplatePart[]) {
    this.parts = parts;
    this.#first = texts[0] ?? "";
    this.#inner = texts.slice(1, -1).filter((text) => text !== "");
    this.#last = texts.length > 1 ? texts.at(-1) : undefined;
    this.#least = texts.reduce((sum, text) => sum + text.length, 0);
  }

  test(text: string): boolean {
    const last = this.#last;
    if (last === undefined) return text === this.#first;
    if (text.length < this.#least || !text.startsWith(this.#first) || !text.endsWith(last)) return false;
    let from = this.#first.length;
    for (const inner of this.#inner) {
      const found = text.indexOf(inner, from);
      if (found < 0) return false;
      from = found + inner.length;
    }
    return from <= text.length - last.length;
  }
}
