import { type AST, RegExpParser } from "@eslint-community/regexpp";
import * as fc from "fast-check";

import { NoValueError } from "./support.ts";

/** Maximum number of repetitions above the minimum of a quantifier: `a*` repeats `a` at most this number of times. */
const MOST_REPEATS = 300;

/** Maximum number of characters by which a generated string is longer than the shortest matching string. */
const MORE = 24;

/** Greatest length of generated strings, unless a rule requires longer strings. */
const LONGEST = 2000;

/**
 * Maximum number of states of an automaton. For more states, the search for the lengths of its strings takes too long.
 */
const MOST_STATES = 4000;

/**
 * Maximum number of generated strings for one value. The automaton ignores lookaheads and word boundaries, so a generated string may not
 * match the pattern.
 */
const TRIES = 1000;

/** Characters to prefer in a character class, in the order of their preference. */
const COMMON: readonly string[] = [
  ..."abcdefghijklmnopqrstuvwxyz",
  ..."0123456789",
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  ..." -_.,:;!?@#$%&*+=/\\|~^'\"`()[]{}<>",
];
const RARE: readonly string[] = [..."éßñøçÅλΩЖשعहไ中あ한٣²½€©→\t\n\u00a0\u2028🙂"];

/** Transition that reads no character, with the condition that permits the transition. */
interface EpsilonTransition {
  readonly to: number;
  readonly when?: "start" | "end";
}

/** Transition that reads one of the listed characters. */
interface Transition {
  readonly on: readonly string[];
  readonly to: number;
}

/** Finite automaton for a pattern. It reads a string character by character, from state 0 to the last state. */
interface Automaton {
  readonly transitions: readonly (readonly Transition[])[];
  readonly epsilons: readonly (readonly EpsilonTransition[])[];
  readonly end: number;
}

/** Minimum and maximum length of a string, in characters. */
export interface Lengths {
  readonly minLength?: number;
  readonly maxLength?: number;
}

/**
 * Returns strings that match a pattern and whose length is within the bounds.
 *
 * @param plain - True to use only the letters and digits of each character class, if the class contains any.
 */
export function matching(pattern: RegExp, lengths: Lengths, plain: boolean): fc.Arbitrary<string> {
  return new Matching(pattern, lengths, plain);
}

class Matching extends fc.Arbitrary<string> {
  readonly #pattern: RegExp;
  readonly #min: number;
  readonly #max: number;
  readonly #plain: boolean;
  #paths: readonly RandomPath[] | undefined;

  constructor(pattern: RegExp, { minLength = 0, maxLength = Infinity }: Lengths, plain: boolean) {
    super();
    this.#pattern = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ""));
    this.#min = minLength;
    this.#max = maxLength;
    this.#plain = plain;
  }

  generate(random: fc.Random): fc.Value<string> {
    // A lookahead can require characters other than letters and digits. So the second attempt uses all characters.
    this.#paths ??= (this.#plain ? [true, false] : [false]).map(
      (plain) => new RandomPath(automatonOf(this.#pattern, plain)),
    );
    const longest = Math.min(this.#max, Math.max(LONGEST, this.#min + MORE));
    for (const path of this.#paths) {
      const lengths = path.lengths(this.#min, longest, MORE);
      for (let left = lengths.length === 0 ? 0 : TRIES; left > 0; left -= 1) {
        const length = lengths[random.nextInt(0, lengths.length - 1)] as number;
        const text = path.walk(length, random);
        if (this.#pattern.test(text)) return new fc.Value(text, undefined);
      }
    }
    const { source } = this.#pattern;
    const most = this.#max === Infinity ? "or more" : `to ${this.#max}`;
    throw new NoValueError(`found no string of ${this.#min} ${most} characters that matches /${source}/`);
  }

  canShrinkWithoutContext(value: unknown): value is string {
    return typeof value === "string" && this.#takes(value);
  }

  shrink(value: string): fc.Stream<fc.Value<string>> {
    const characters = [...value];
    const shorter = function* (): Generator<string> {
      for (let size = characters.length; size >= 1; size = size >> 1) {
        for (let at = 0; at + size <= characters.length; at += size) {
          yield characters.toSpliced(at, size).join("");
        }
      }
    };
    const candidates = fc.stream(shorter()).filter((text) => text !== value && this.#takes(text));
    return candidates.map((text) => new fc.Value(text, undefined));
  }

  #takes(text: string): boolean {
    const { length } = [...text];
    return length >= this.#min && length <= this.#max && this.#pattern.test(text);
  }
}

/** Draws random paths through an automaton, from its start to its end. */
class RandomPath {
  readonly #automaton: Automaton;
  /** Table by the number of remaining characters: for each state, true if exactly this number of characters leads to the end. */
  readonly #ending: boolean[][] = [];
  readonly #closures: Map<string, readonly number[]> = new Map();

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  /**
   * Returns the lengths within bounds that matching strings can have: the shortest length, and the lengths up to `more` above the
   * shortest.
   */
  lengths(min: number, max: number, more: number): number[] {
    const found: number[] = [];
    for (let length = min; length <= max; length += 1) {
      if (found[0] !== undefined && length > found[0] + more) break;
      if (this.#choices(0, length, true).length > 0 || (length === 0 && this.#ends(0, true)))
        found.push(length);
    }
    return found;
  }

  /** Returns a random string of the given length, which must be a result of {@link lengths}. */
  walk(length: number, random: fc.Random): string {
    let [state, text] = [0, ""];
    for (let left = length; left > 0; left -= 1) {
      const choices = this.#choices(state, left, left === length);
      const { on, to } = choices[random.nextInt(0, choices.length - 1)] as Transition;
      text += on[random.nextInt(0, on.length - 1)] as string;
      state = to;
    }
    return text;
  }

  /** Returns the transitions that leave a way to the end with exactly `left` more characters. */
  #choices(state: number, left: number, atStart: boolean): Transition[] {
    if (left === 0) return [];
    const transitions = this.#closure(state, atStart, false).flatMap(
      (at) => this.#automaton.transitions[at] as Transition[],
    );
    return transitions.filter(({ on, to }) => on.length > 0 && this.#canEnd(to, left - 1));
  }

  #canEnd(state: number, left: number): boolean {
    for (let count = this.#ending.length; count <= left; count += 1) {
      this.#ending.push(
        this.#automaton.transitions.map((_, at) =>
          count === 0
            ? this.#ends(at, false)
            : this.#closure(at, false, false).some((near) =>
                (this.#automaton.transitions[near] as Transition[]).some(
                  ({ on, to }) => on.length > 0 && (this.#ending[count - 1] as boolean[])[to] === true,
                ),
              ),
        ),
      );
    }
    return (this.#ending[left] as boolean[])[state] === true;
  }

  #ends(state: number, atStart: boolean): boolean {
    return this.#closure(state, atStart, true).includes(this.#automaton.end);
  }

  /** Returns the states that can be reached from a state without reading a character. */
  #closure(state: number, atStart: boolean, atEnd: boolean): readonly number[] {
    const key = `${state} ${atStart} ${atEnd}`;
    const known = this.#closures.get(key);
    if (known !== undefined) return known;
    const reached = new Set([state]);
    for (const at of reached) {
      for (const { to, when } of this.#automaton.epsilons[at] as EpsilonTransition[]) {
        if (when === undefined || (when === "start" ? atStart : atEnd)) reached.add(to);
      }
    }
    const closure = [...reached];
    this.#closures.set(key, closure);
    return closure;
  }
}

const automatons: Map<string, Automaton> = new Map();

function automatonOf(pattern: RegExp, plain: boolean): Automaton {
  const key = `${plain} ${pattern.flags} ${pattern.source}`;
  let automaton = automatons.get(key);
  if (automaton === undefined) automatons.set(key, (automaton = new Builder(pattern, plain).automaton()));
  return automaton;
}

/**
 * Builds the automaton of a pattern. The automaton also accepts any characters before and after the match, unless the pattern is anchored.
 */
class Builder {
  readonly #transitions: Transition[][] = [];
  readonly #epsilons: EpsilonTransition[][] = [];
  readonly #pattern: RegExp;
  readonly #plain: boolean;

  constructor(pattern: RegExp, plain: boolean) {
    this.#pattern = pattern;
    this.#plain = plain;
  }

  automaton(): Automaton {
    const { source, flags } = this.#pattern;
    const unicode = flags.includes("u");
    const tree = new RegExpParser().parsePattern(source, 0, source.length, { unicode });
    const anything = this.#members(".");
    const before = this.#state();
    this.#step(before, anything, before);
    const begin = this.#state();
    this.#go(before, begin);
    const behind = this.#alternatives(tree.alternatives, begin);
    const end = this.#state();
    this.#go(behind, end);
    this.#step(end, anything, end);
    return { transitions: this.#transitions, epsilons: this.#epsilons, end };
  }

  #alternatives(alternatives: readonly AST.Alternative[], from: number): number {
    const behind = this.#state();
    for (const { elements } of alternatives) {
      let at = this.#state();
      this.#go(from, at);
      for (const element of elements) at = this.#element(element, at);
      this.#go(at, behind);
    }
    return behind;
  }

  #element(element: AST.Element | AST.QuantifiableElement, from: number): number {
    switch (element.type) {
      case "Group":
      case "CapturingGroup":
        return this.#alternatives(element.alternatives, from);
      case "Quantifier":
        return this.#repeated(element, from);
      case "Assertion": {
        const to = this.#state();
        if (element.kind === "start" || element.kind === "end") this.#go(from, to, element.kind);
        else this.#go(from, to);
        return to;
      }
      case "Character":
        return this.#step(from, [String.fromCodePoint(element.value)]);
      case "Backreference":
        throw new NoValueError(
          `/${this.#pattern.source}/ has a backreference such as \\1, for which kit cannot generate strings`,
        );
      default:
        return this.#step(from, this.#members(element.raw));
    }
  }

  #repeated({ element, min, max }: AST.Quantifier, from: number): number {
    let at = from;
    for (let count = 0; count < min; count += 1) at = this.#element(element, at);
    if (max === Infinity) {
      const loop = this.#state();
      this.#go(at, loop);
      this.#go(this.#element(element, loop), loop);
      return loop;
    }
    const behind = this.#state();
    for (let count = min; count < Math.min(max, min + MOST_REPEATS); count += 1) {
      this.#go(at, behind);
      at = this.#element(element, at);
    }
    this.#go(at, behind);
    return behind;
  }

  /** Returns some characters of a class: the characters in `COMMON`, or else the first characters of the class. */
  #members(raw: string): readonly string[] {
    const key = `${this.#plain} ${this.#pattern.flags} ${raw}`;
    const found = members.get(key);
    if (found !== undefined) return found;
    const one = new RegExp(`^(?:${raw})$`, this.#pattern.flags);
    const common = COMMON.filter((character) => one.test(character));
    const words = common.filter((character) => /[a-z0-9]/i.test(character));
    const rare = RARE.filter((character) => one.test(character));
    let taken = this.#plain ? [words, common, rare].find((group) => group.length > 0) : [...common, ...rare];
    if (taken === undefined || taken.length === 0) taken = firstOf(one);
    members.set(key, taken);
    return taken;
  }

  #step(from: number, on: readonly string[], to: number = this.#state()): number {
    (this.#transitions[from] as Transition[]).push({ on, to });
    return to;
  }

  #go(from: number, to: number, when?: "start" | "end"): void {
    (this.#epsilons[from] as EpsilonTransition[]).push(when === undefined ? { to } : { to, when });
  }

  #state(): number {
    if (this.#epsilons.length >= MOST_STATES) {
      throw new NoValueError(`the strings that match /${this.#pattern.source}/ are too long to generate`);
    }
    this.#epsilons.push([]);
    return this.#transitions.push([]) - 1;
  }
}

const members: Map<string, readonly string[]> = new Map();

/** Returns the first characters of a class. U+0000 and surrogates are left out, because a database cannot store them as text. */
function firstOf(one: RegExp): string[] {
  const found: string[] = [];
  for (let point = 1; point <= 0x10ffff && found.length < 20; point += 1) {
    if (point === 0xd800) point = 0xe000;
    const character = String.fromCodePoint(point);
    if (one.test(character)) found.push(character);
  }
  return found;
}
