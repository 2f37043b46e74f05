/** Location of a declaration: a line of the same file, or another file that exports it under `name`. Null if it was not found. */
export type Definition = { readonly line: number } | { readonly file: string; readonly name: string } | null;

/**
 * Returns the name of the function that is registered as middleware at a line: `requireAuth` for `{ name: "auth", middleware: requireAuth
 * }`. Returns null if the notation is not recognized.
 */
export function registeredAt(lines: readonly string[], index: number): string | null {
  for (const line of lines.slice(Math.max(0, index), index + 8)) {
    const named = /\bmiddleware:\s*([A-Za-z_$][\w$]*)\s*(?:[,})(]|$)/.exec(line)?.[1];
    if (named !== undefined) return named;
    if (/[{,]\s*middleware\s*[,}]/.test(line)) return "middleware";
  }
  return null;
}

/**
 * Returns the location of the declaration of `name`. `lines` are the lines of `file`, whose path is relative to the
 * project's root.
 */
export function definitionOf(lines: readonly string[], name: string, file: string): Definition {
  const word = name.replaceAll("$", "\\$");
  const declared = new RegExp(
    name === "default"
      ? "^export default\\b"
      : `^\\s*(?:export\\s+)?(?:default\\s+)?(?:async\\s+)?(?:const|let|var|function\\*?|class)\\s+${word}\\b`,
  );
  const index = lines.findIndex((line) => declared.test(line));
  if (index !== -1) return { line: index + 1 };
  for (const [, defaulted, listed = "", from = ""] of lines
    .join("\n")
    .matchAll(/^import\s+(?:([A-Za-z_$][\w$]*)\s*,?\s*)?(?:\{([^}]*)\}\s*)?from\s*["']([^"']+)["']/gm)) {
    // A package is not part of the project, so its source is not shown.
    if (!from.startsWith(".")) continue;
    const target = resolved(file, from);
    if (defaulted === name) return { file: target, name: "default" };
    for (const item of listed.split(",")) {
      const [original = "", local = original] = item.trim().split(/\s+as\s+/);
      if (local === name) return { file: target, name: original };
    }
  }
  return null;
}

/** Returns the path of a relative import. Sources may import a module by the name of its compiled file, so `.js` becomes `.ts`. */
function resolved(file: string, specifier: string): string {
  const names = file.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") names.pop();
    else if (part !== ".") names.push(part);
  }
  return names.join("/").replace(/\.([cm]?)js$/, ".$1ts");
}
