/** Location of the first syntax error of a JSON string, with the expected token. */
export interface JsonSyntaxError {
  /** Offset in UTF-16 code units. */
  readonly offset: number;
  readonly expected: string;
}

/**
 * Finds the first syntax error of a string that `JSON.parse` refused. The engine's own message often has no position,
 * and quotes the input, which may contain secrets. Uses its own stack, so deep nesting is safe.
 */
export function findJsonError(text: string): JsonSyntaxError {
  return new Scanner(text).scan();
}

/** Returns line and column of an offset, both counted from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (
    let index = text.indexOf("\n");
    index !== -1 && index < offset;
    index = text.indexOf("\n", index + 1)
  ) {
    line += 1;
    lineStart = index + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

/** Token that is expected next. */
type Expectation = "value" | "first item" | "first key" | "key" | "colon" | "comma" | "end";

const inWords: Readonly<Record<Expectation, string>> = {
  value: "a value",
  "first item": "a value or `]`",
  "first key": "a property name in double quotes or `}`",
  key: "a property name in double quotes",
  colon: "`:`",
  comma: "`,` or the end of the list or object",
  end: "the end of the text",
};

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isPlainInString = (code: number): boolean => code >= 0x20 && code !== 0x22 && code !== 0x5c;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const numberStart = /-?(?:0|[1-9])/y;
const fractionStart = /\.[0-9]/y;
const exponentStart = /[eE][+-]?[0-9]/y;
const word = /true|false|null/y;

class Scanner {
  readonly #text: string;
  #offset = 0;
  /** Open arrays and objects. */
  readonly #open: ("[" | "{")[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  scan(): JsonSyntaxError {
    let expectation: Expectation = "value";
    for (;;) {
      this.#takeWhile(isSpace);
      if (expectation === "end" && this.#offset === this.#text.length) {
        // `JSON.parse` refused the string but this scanner accepts it, so no location is known.
        return { offset: this.#offset, expected: "JSON" };
      }
      const start = this.#offset;
      const next: Expectation | JsonSyntaxError | undefined = this.#step(expectation);
      if (next === undefined) return { offset: start, expected: inWords[expectation] };
      if (typeof next === "object") return next;
      expectation = next;
    }
  }

  /** Reads one token and returns what may follow. Returns `undefined` for an unexpected token. */
  #step(expectation: Expectation): Expectation | JsonSyntaxError | undefined {
    const character = this.#text[this.#offset];
    switch (expectation) {
      case "end":
        return undefined;
      case "colon":
        return character === ":" ? this.#advance("value") : undefined;
      case "comma":
        if (character === ",") return this.#advance(this.#open.at(-1) === "[" ? "value" : "key");
        return this.#close(character);
      case "first key":
      case "key":
        if (character === '"') return this.#string("colon");
        return expectation === "first key" ? this.#close(character) : undefined;
      case "first item":
        return character === "]" ? this.#close(character) : this.#value(character);
      default:
        return this.#value(character);
    }
  }

  #value(character: string | undefined): Expectation | JsonSyntaxError | undefined {
    if (character === "[" || character === "{") {
      this.#open.push(character);
      return this.#advance(character === "[" ? "first item" : "first key");
    }
    if (character === '"') return this.#string(this.#afterValue());
    return this.#take(word) || this.#number() ? this.#afterValue() : undefined;
  }

  #string(next: Expectation): Expectation | JsonSyntaxError {
    this.#offset += 1;
    do this.#takeWhile(isPlainInString);
    while (this.#take(escape));
    if (this.#text[this.#offset] === '"') return this.#advance(next);
    return {
      offset: this.#offset,
      expected: "a character of a string, a valid escape or a closing double quote",
    };
  }

  #close(character: string | undefined): Expectation | undefined {
    const open = this.#open.at(-1);
    if (open === undefined || character !== (open === "[" ? "]" : "}")) return undefined;
    this.#open.pop();
    return this.#advance(this.#afterValue());
  }

  #afterValue(): Expectation {
    return this.#open.length === 0 ? "end" : "comma";
  }

  #advance(next: Expectation): Expectation {
    this.#offset += 1;
    return next;
  }

  #number(): boolean {
    const start = this.#offset;
    if (!this.#take(numberStart)) return false;
    // A number that starts with 0 has no other digit before the decimal point.
    if (this.#text[this.#offset - 1] !== "0") this.#takeWhile(isDigit);
    if (this.#take(fractionStart)) this.#takeWhile(isDigit);
    if (this.#take(exponentStart)) this.#takeWhile(isDigit);
    return this.#offset > start;
  }

  /**
   * Skips a match of the pattern at the current offset. Returns true if the pattern matches. The pattern must have a
   * bounded length.
   */
  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#offset;
    if (!pattern.test(this.#text)) return false;
    this.#offset = pattern.lastIndex;
    return true;
  }

  /**
   * Skips characters while the predicate is true. A regular expression with a star would need one stack entry for each
   * character.
   */
  #takeWhile(predicate: (code: number) => boolean): void {
    while (this.#offset < this.#text.length && predicate(this.#text.charCodeAt(this.#offset)))
      this.#offset += 1;
  }
}
