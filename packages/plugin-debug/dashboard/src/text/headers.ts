/** Text that the sidecar shows in place of a hidden value. */
export const hidden = "[redacted]";

/** Headers as lines to edit. */
export function writeHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

/** Headers of such lines. Of a name that is there twice the later counts; lines without a name are left out. */
export function readHeaders(text: string): Record<string, string> {
  const pairs = text.split("\n").flatMap((line) => {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    return name === "" ? [] : [[name, line.slice(colon + 1).trim()] as const];
  });
  return Object.fromEntries(pairs);
}

/** Values that somebody filled in for hidden headers, by name. Kept in memory only, until the page is left. */
const filledIn = new Map<string, string>();

/** Remembers values of headers that are hidden in `original` and that `draft` has. */
export function rememberHidden(original: string, draft: string): void {
  const given = readHeaders(draft);
  for (const [name, value] of Object.entries(readHeaders(original))) {
    const filled = given[name];
    if (value === hidden && filled !== undefined && filled !== hidden) filledIn.set(name, filled);
  }
}

/** Headers as lines to edit, with remembered values in place of hidden ones. */
export function withRemembered(headers: Readonly<Record<string, string>>): string {
  return writeHeaders(
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value === hidden ? (filledIn.get(name.toLowerCase()) ?? value) : value,
      ]),
    ),
  );
}

/** Names of the parts of a request that are hidden. */
export function hiddenNames(draft: {
  readonly target: string;
  readonly headers: string;
  readonly body: string;
}): string[] {
  const { target, headers, body } = draft;
  const names = Object.entries(readHeaders(headers)).flatMap(([name, value]) =>
    value === hidden ? [name] : [],
  );
  if (target.includes(hidden)) names.unshift("the target");
  if (body.includes(JSON.stringify(hidden))) names.push("parts of the body");
  return names;
}
