/** What stands in place of what is hidden. */
const hidden = "[redacted]";

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

/** Which parts of a request are hidden, by name. */
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
