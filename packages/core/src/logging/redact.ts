/** String that replaces a hidden value in a log entry. */
export const redacted = "[redacted]";

/** Determines which values of log entries are hidden. */
export interface Redactor {
  /**
   * Hides every property with one of these names from now on. Case, `_` and `-` are ignored: `ibanCode` also hides
   * the column `iban_code` and the header `Iban-Code`.
   */
  hideNames(names: readonly string[]): void;
  /**
   * Returns true if a value is hidden. `path` is the list of lower-case property names from the entry to the value.
   * Array items add no name to the path.
   */
  hides(path: readonly string[]): boolean;
  /**
   * Returns true if a validated field, or an enclosing field, is hidden. `path` is the path of a failure:
   * `$.user["first name"].tags[0]`.
   */
  hidesField(path: string): boolean;
  /**
   * Hides the values of hidden fields in validation messages: `$.user.iban: expected string, received
   * [redacted] (and 2 more)`. Runs in linear time, because clients control parts of the string.
   */
  redactMessage(text: string): string;
  /**
   * Returns true if a pattern of `logging.redact` hides the value. Unlike {@link hides}, ignores names that a
   * type marks as `@sensitive`. Used for messages of errors, which are not properties of the application.
   */
  hidesByPattern(path: readonly string[]): boolean;
}

/**
 * Compiles the patterns of `logging.redact`.
 *
 * A pattern consists of property names joined by dots, in any case, with `*` for any single name. It hides the values
 * at the end of a matching path at any depth: `authorization` hides every property of that name, `*.password` every
 * `password` of an object (including `data` itself), `user.*.token` the token two levels below a `user`.
 */
export function compileRedactor(patterns: readonly string[]): Redactor {
  const byLastName = new Map<string, string[][]>();
  for (const pattern of patterns) {
    const names = pattern.toLowerCase().split(".");
    if (names.some((name) => name === "")) {
      throw new TypeError(
        `logging.redact: \`${pattern}\` is not a pattern; write property names joined by dots`,
      );
    }
    const last = names.at(-1)!;
    byLastName.set(last, [...(byLastName.get(last) ?? []), names]);
  }
  const underAnyName = byLastName.get("*") ?? [];
  const hidden = new Set<string>();
  /** Checks the path of the first `length` names. `length` avoids a copy of the path for each enclosing property. */
  const hidesStartByPattern = (path: readonly string[], length: number): boolean => {
    const named = byLastName.get(path[length - 1]!);
    return (
      named?.some((names) => endsWith(path, length, names)) === true ||
      underAnyName.some((names) => endsWith(path, length, names))
    );
  };
  const hidesStart = (path: readonly string[], length: number): boolean =>
    (hidden.size > 0 && hidden.has(bareName(path[length - 1]!))) || hidesStartByPattern(path, length);
  const hidesAnyOf = (path: string, steps: RegExp): boolean => {
    const names = ["data"];
    for (const [step] of path.matchAll(steps)) {
      const name = nameOf(step);
      // An array index adds no name to the path, as in the data of a log entry.
      if (name === undefined) continue;
      names.push(name.toLowerCase());
      // Every enclosing name is checked, because everything below a hidden property is hidden.
      if (hidesStart(names, names.length)) return true;
    }
    return false;
  };
  // The string may contain other parts of a message, which come from a client. The second check finds names that the
  // first one reads as a part of a quoted key, or together with the text after the path.
  const hidesField = (path: string): boolean =>
    hidesAnyOf(path, pathSteps) || (/[":]/.test(path) && hidesAnyOf(path, pathWords));
  return {
    hideNames(names) {
      for (const name of names) hidden.add(bareName(name));
    },
    hides: (path) => hidesStart(path, path.length),
    hidesField,
    redactMessage(text) {
      if (!text.includes(received)) return text;
      return text
        .split("\n")
        .map((line) => withoutReceived(line, hidesField))
        .join("\n");
    },
    hidesByPattern: (path) => hidesStartByPattern(path, path.length),
  };
}

/** Matches the steps of a failure's path: `["first name"]`, `[0]`, `tags`. */
const pathSteps = /\["(?:[^"\\]|\\.)*"\]|\[\d+\]|[^.[\]"$]+/g;
/** Matches the steps of a failure's path, but divides all other texts at each dot, bracket, quote and colon. */
const pathWords = /\[\d+\]|[^.[\]"$:]+/g;

/** Returns the name of a step. Returns `undefined` for an array index. */
function nameOf(step: string): string | undefined {
  if (!step.startsWith("[")) return step;
  return step.startsWith('["') ? unquoted(step.slice(1, -1)) : undefined;
}

/** Returns the string that a JSON text represents. Returns the text itself if it is not valid JSON. */
function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}

const expected = ": expected ";
const received = ", received ";

/**
 * Returns a line with `[redacted]` in place of its value if the value is hidden. A key from the client can
 * contain the words that surround the value. Therefore the path is read up to the last occurrence of these
 * words, and the value is cut from their first occurrence: too much may be hidden, but never too little.
 */
function withoutReceived(line: string, hidesField: (path: string) => boolean): string {
  const path = line.indexOf("$");
  if (path === -1) return line;
  const firstExpected = line.indexOf(expected, path);
  const firstReceived = firstExpected === -1 ? -1 : line.indexOf(received, firstExpected);
  if (firstReceived === -1) return line;
  const lastExpected = line.lastIndexOf(expected, line.lastIndexOf(received));
  if (!hidesField(line.slice(path, lastExpected))) return line;
  return `${line.slice(0, firstReceived)}${received}${redacted}${countOfMore(line)}`;
}

/** Returns the end of a line that counts further failures: ` (and 2 more)`. */
function countOfMore(line: string): string {
  const start = line.lastIndexOf(" (and ");
  const end = start === -1 ? "" : line.slice(start);
  return end.length < 32 && /^ \(and \d{1,9} more\)$/.test(end) ? end : "";
}

/** Normalizes a name: `passwordHash`, `password_hash` and `Password-Hash` are equal. */
function bareName(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}

function endsWith(path: readonly string[], length: number, names: readonly string[]): boolean {
  const offset = length - names.length;
  return offset >= 0 && names.every((name, index) => name === "*" || name === path[offset + index]);
}
