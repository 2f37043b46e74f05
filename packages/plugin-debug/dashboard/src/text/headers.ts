/** Text that the sidecar shows in place of a hidden value. */
export const hidden = "[redacted]";

/** Writes headers as text for the editor, one header per line: `accept: text/html`. */
export function writeHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

/** Parses headers from text, one per line. If a name occurs twice, the later value counts. Lines without a name are ignored. */
export function readHeaders(text: string): Record<string, string> {
  const pairs = text.split("\n").flatMap((line) => {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    return name === "" ? [] : [[name, line.slice(colon + 1).trim()] as const];
  });
  return Object.fromEntries(pairs);
}

/** Values that the user entered in place of hidden header values, by header name. They are stored in memory until the page is closed. */
const filledIn = new Map<string, string>();

/** Remembers the values that the user has entered in `draft` for headers whose value in `original` is hidden. */
export function rememberHidden(original: string, draft: string): void {
  const given = readHeaders(draft);
  for (const [name, value] of Object.entries(readHeaders(original))) {
    const filled = given[name];
    if (value === hidden && filled !== undefined && filled !== hidden) filledIn.set(name, filled);
  }
}

/** Writes headers as text, one per line. Replaces hidden values by the values that the user has entered before. */
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

/** Returns the names of the parts of an edited request that still contain a hidden value: `["the target", "authorization"]`. */
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
