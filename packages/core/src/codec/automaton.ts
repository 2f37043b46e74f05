import type { TemplatePart, StringTest } from "./string-test.ts";

/**
 * Maximum number of cached sets of states. If the limit is reached, the cache is cleared, so that no input can exhaust
 * the memory.
 */
const MAX_KNOWN = 500;

const DIGITS = "0123456789";

/** White space, which JavaScript ignores before and after a number. */
const SPACES =
  "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";

/** Letters after the `0` of numbers with another radix than ten, and their digits. */
const RADIXES = [
  ["xX", "0123456789abcdefABCDEF"],
  ["oO", "01234567"],
  ["bB", "01"],
] as const;

/** Transition of the automaton to another state when it reads a code unit. */
interface Step {
  /** UTF-16 code units that cause the transition. `undefined` means every code unit. */
  readonly on: string | undefined;
  readonly to: number;
}

/** Set of states that the automaton may be in at the same time, with its transitions. */
interface StateSet {
  /** State numbers in ascending order. */
  readonly states: readonly number[];
  /** True if the string may end in this set. */
  readonly accepts: boolean;
  /** Set after the next code unit, by the class of that code unit. Computed on first use. */
  readonly next: (StateSet | undefined)[];
}

/**
 * Automaton for a template literal type, such as `${number}px`. It follows all possible divisions of a string into
 * parts at once, so it reads each UTF-16 code unit once. Sets of states are computed when a string first reaches them.
 */
export class Automaton implements StringTest {
  readonly parts: readonly TemplatePart[];
  readonly #steps: Step[][] = [[]];
  /** For each state, the states that it reaches without reading a code unit. */
  readonly #free: number[][] = [[]];
  readonly #end: number;
  /** Class of each code unit that occurs in a transition. All other code units have class 0. */
  readonly #classes: ReadonlyMap<number, number>;
  readonly #units: readonly (string | undefined)[];
  readonly #known: Map<string, StateSet> = new Map();
  readonly #start: StateSet;
  /** Number of code units and states that were processed, for tests of the complexity. */
  stepCount = 0;

  constructor(parts: readonly TemplatePart[]) {
    this.parts = parts;
    this.#end = this.#sequence(parts, 0);
    const distinguishedUnits = new Set(
      this.#steps.flatMap((steps) => steps.flatMap(({ on }) => (on ?? "").split(""))),
    );
    this.#units = [undefined, ...distinguishedUnits];
    this.#classes = new Map([...distinguishedUnits].map((unit, index) => [unit.charCodeAt(0), index + 1]));
    this.#start = this.#set([0]);
  }

  /** Number of cached sets of states. */
  get known(): number {
    return this.#known.size;
  }

  test(text: string): boolean {
    let current = this.#start;
    for (let index = 0; index < text.length; index++) {
      const unit = this.#classes.get(text.charCodeAt(index)) ?? 0;
      current = current.next[unit] ?? this.#follow(current, unit);
      if (current.states.length === 0) {
        this.stepCount += index + 1;
        return false;
      }
    }
    this.stepCount += text.length;
    return current.accepts;
  }

  #follow(from: StateSet, unit: number): StateSet {
    const letter = this.#units[unit];
    const reached: number[] = [];
    for (const state of from.states) {
      for (const { on, to } of this.#steps[state] as Step[]) {
        if (on === undefined || (letter !== undefined && on.includes(letter))) reached.push(to);
      }
    }
    this.stepCount += from.states.length;
    const next = this.#set(reached);
    from.next[unit] = next;
    return next;
  }

  /**
   * Returns the set that contains these states, and all states that the automaton reaches from them without
   * reading a code unit.
   */
  #set(reached: readonly number[]): StateSet {
    const all = new Set(reached);
    for (const state of all) {
      for (const free of this.#free[state] as number[]) all.add(free);
    }
    const states = [...all].toSorted((a, b) => a - b);
    const key = states.join();
    const found = this.#known.get(key);
    if (found !== undefined) return found;
    if (this.#known.size >= MAX_KNOWN) this.#forget();
    const known: StateSet = { states, accepts: all.has(this.#end), next: [] };
    this.#known.set(key, known);
    return known;
  }

  #forget(): void {
    for (const known of this.#known.values()) known.next.length = 0;
    this.#known.clear();
    this.#known.set(this.#start.states.join(), this.#start);
  }

  /** Adds the transitions for a sequence of parts, starting at a state. Returns the state after the sequence. */
  #sequence(parts: readonly TemplatePart[], from: number): number {
    let at = from;
    for (const part of parts) at = this.#part(part, at);
    return at;
  }

  #part(part: TemplatePart, from: number): number {
    if (typeof part === "string") {
      let at = from;
      for (let index = 0; index < part.length; index++) at = this.#unit(at, part.charAt(index));
      return at;
    }
    if ("either" in part) {
      const behind = this.#state();
      // Each alternative starts in a state of its own, so that it cannot use the loop of another alternative.
      for (const parts of part.either) this.#join(this.#sequence(parts, this.#fork(from)), behind);
      return behind;
    }
    switch (part.hole) {
      case "string": {
        const at = this.#fork(from);
        (this.#steps[at] as Step[]).push({ on: undefined, to: at });
        return at;
      }
      case "bigint":
        return this.#digits(this.#sign(from, "-"));
      case "number":
        return this.#number(from);
    }
  }

  /**
   * Adds the transitions for a number of JavaScript with spaces around it, or for spaces only. Returns the state after them.
   * Numbers beyond the range of doubles are not left out.
   */
  #number(from: number): number {
    const before = this.#repeated(from, SPACES);
    const signed = this.#sign(before, "+-");
    const whole = this.#digits(signed);
    const mantissa = this.#fork(whole);
    this.#join(this.#repeated(this.#unit(whole, "."), DIGITS), mantissa);
    this.#join(this.#digits(this.#unit(signed, ".")), mantissa);
    const behind = this.#fork(mantissa);
    this.#join(this.#digits(this.#sign(this.#unit(mantissa, "eE"), "+-")), behind);
    const zero = this.#unit(before, "0");
    for (const [letters, digits] of RADIXES)
      this.#join(this.#digits(this.#unit(zero, letters), digits), behind);
    const end = this.#repeated(behind, SPACES);
    this.#join(this.#digits(from, SPACES), end);
    return end;
  }

  /** Adds an optional character, such as a sign. Returns the state after it. */
  #sign(from: number, units: string): number {
    const at = this.#unit(from, units);
    this.#join(from, at);
    return at;
  }

  /** Adds one or more of the characters. Returns the state after them. */
  #digits(from: number, digits: string = DIGITS): number {
    const at = this.#unit(from, digits);
    (this.#steps[at] as Step[]).push({ on: digits, to: at });
    return at;
  }

  /** Adds any number of the characters. Returns the state after them. */
  #repeated(from: number, units: string): number {
    const at = this.#fork(from);
    (this.#steps[at] as Step[]).push({ on: units, to: at });
    return at;
  }

  #unit(from: number, units: string): number {
    const to = this.#state();
    (this.#steps[from] as Step[]).push({ on: units, to });
    return to;
  }

  #fork(from: number): number {
    const at = this.#state();
    this.#join(from, at);
    return at;
  }

  #join(from: number, to: number): void {
    (this.#free[from] as number[]).push(to);
  }

  #state(): number {
    this.#free.push([]);
    return this.#steps.push([]) - 1;
  }
}
