/** What stands in a log entry in place of a hidden value. */
export const redacted = "[redacted]";

/** Decides which values of log entries are hidden. */
export interface Redactor {
  /** Hides every property of these names from now on, in any case, with or without `_` and `-`: a field's column and header too. */
  hideNames(names: readonly string[]): void;
  /** Returns true if a value is hidden. `path` holds the lower-case property names from the entry down; items of lists add nothing to it. */
  hides(path: readonly string[]): boolean;
  /** Returns true if a validated field, or a field around it, is hidden; `path` is that of a failure: `$.user["first name"].tags[0]`. */
  hidesField(path: string): boolean;
  /**
   * Replaces the values of hidden fields in messages of validations: `$.user.iban: expected string, received [redacted] (and 2 more)`.
   * Takes time in proportion to the length of the text, since clients choose parts of it.
   */
  text(text: string): string;
  /**
   * Does what {@link hides} does, but by patterns alone. The message of an error is no property of the application, so names that a
   * type calls sensitive do not hide it.
   */
  hidesByPattern(path: readonly string[]): boolean;
}

/**
 * Compiles the patterns of `logging.redact`.
 *
 * A pattern is property names joined by dots, in any case, where `*` is any one name. It hides what lies at the end of such
 * a path, however deep: `authorization` hides every property of that name, `*.password` every `password` of an
 * object (so that of `data` too), `user.*.token` the token two below a `user`.
 */
export function compileRedactor(patterns: readonly string[]): Redactor {
  const byLastName = new Map<string, string[][]>();
  for (const pattern of patterns) {
    const names = pattern.toLowerCase().split(".");
    if (names.some((name) => name === "")) {
      throw new TypeError(
        `logging.redact: \`${pattern}\` is no pattern; write property names joined by dots`,
      );
    }
    const last = names.at(-1)!;
    byLastName.set(last, [...(byLastName.get(last) ?? []), names]);
  }
  const underAnyName = byLastName.get("*") ?? [];
  const hidden = new Set<string>();
  /** Judges the path that the first `length` names make, so that no copy of a long path is made for each of its names. */
  const hidesStartByPattern = (path: readonly string[], length: number): boolean => {
    const named = byLastName.get(path[length - 1]!);
    return (
      named?.some((names) => endsWith(path, length, names)) === true ||
      underAnyName.some((names) => endsWith(path, length, names))
    );
  };
  const hidesStart = (path: readonly string[], length: number): boolean =>
    (hidden.size > 0 && hidden.has(bareName(path[length - 1]!))) || hidesStartByPattern(path, length);
  const hidesField = (path: string): boolean => {
    const names = ["data"];
    for (const [name] of path.matchAll(/[^.[\]"$]+/g)) {
      names.push(name.toLowerCase());
      // Each name on the way counts, since everything below a hidden property is hidden.
      if (hidesStart(names, names.length)) return true;
    }
    return false;
  };
  return {
    hideNames(names) {
      for (const name of names) hidden.add(bareName(name));
    },
    hides: (path) => hidesStart(path, path.length),
    hidesField,
    text(text) {
      if (!text.includes(received)) return text;
      return text
        .split("\n")
        .map((line) => withoutReceived(line, hidesField))
        .join("\n");
    },
    hidesByPattern: (path) => hidesStartByPattern(path, path.length),
  };
}

const expected = ": expected ";
const received = ", received ";

/**
 * A line without the value that it tells of, if that is hidden. A key of the client can hold the words that stand around the value. So the
 * path is read up to the last place where the words can be, and the value is cut from the first: too much is hidden then, never too little.
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

/** The end of a line that counts further failures: ` (and 2 more)`. */
function countOfMore(line: string): string {
  const start = line.lastIndexOf(" (and ");
  const end = start === -1 ? "" : line.slice(start);
  return end.length < 32 && /^ \(and \d{1,9} more\)$/.test(end) ? end : "";
}

/** `passwordHash`, `password_hash` and `Password-Hash` are one name. */
function bareName(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}

function endsWith(path: readonly string[], length: number, names: readonly string[]): boolean {
  const offset = length - names.length;
  return offset >= 0 && names.every((name, index) => name === "*" || name === path[offset + index]);
}
