/** What stands in a log entry in place of a hidden value. */
export const redacted = "[redacted]";

/** Whether the value at a path of an entry is hidden. */
export interface Redactor {
  /** Hides every property of these names from now on, in any case, with or without `_` and `-`: a field's column and header too. */
  hideNames(names: readonly string[]): void;
  /** `path` holds the lower-case property names from the entry down; items of lists add nothing to it. */
  hides(path: readonly string[]): boolean;
  /** Whether a field of what was validated is hidden, or one that it lies within; `path` is that of a failure: `$.user["first name"].tags[0]`. */
  hidesField(path: string): boolean;
  /** A text without the values of hidden fields that the message of a validation tells of. */
  text(text: string): string;
  /** The same by patterns alone: what is no property of the application's, such as the message of an error, is nothing that a type calls sensitive. */
  hidesByPattern(path: readonly string[]): boolean;
}

/** How a message tells of a value that does not fit: `$.user.iban: expected string, received number 42 (and 2 more)`. */
const misfit = /(\$[^\n]*?)(: expected [^\n]*?, received )[^\n]*?( \(and \d+ more\))?(?=\n|$)/g;

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
  return {
    hideNames(names) {
      for (const name of names) hidden.add(bareName(name));
    },
    hides(path) {
      return (hidden.size > 0 && hidden.has(bareName(path[path.length - 1]!))) || this.hidesByPattern(path);
    },
    hidesField(path) {
      const names = path.match(/[^.[\]"$]+/g)?.map((name) => name.toLowerCase()) ?? [];
      // Every name on the way, since what is below a hidden one is hidden.
      return names.some((_, index) => this.hides(["data", ...names.slice(0, index + 1)]));
    },
    text(text) {
      if (!text.includes(", received ")) return text;
      return text.replace(misfit, (whole, path: string, between: string, more: string | undefined) =>
        this.hidesField(path) ? `${path}${between}${redacted}${more ?? ""}` : whole,
      );
    },
    hidesByPattern(path) {
      const named = byLastName.get(path[path.length - 1]!);
      return (
        named?.some((names) => endsWith(path, names)) === true ||
        underAnyName.some((names) => endsWith(path, names))
      );
    },
  };
}

/** `passwordHash`, `password_hash` and `Password-Hash` are one name. */
function bareName(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}

function endsWith(path: readonly string[], names: readonly string[]): boolean {
  const offset = path.length - names.length;
  return offset >= 0 && names.every((name, index) => name === "*" || name === path[offset + index]);
}
