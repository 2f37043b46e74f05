/** Media type of a body: the value of the header `content-type` (RFC 9110, 8.3.1). */
export interface MediaType {
  /** Type and subtype in lower case: `text/csv`. */
  readonly type: string;
  /** Parameters by name in lower case. Quoted values are without their quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Parses a media type. Returns `undefined` if the text is not a media type, or if a parameter occurs twice. */
export function parseMediaType(text: string): MediaType | undefined {
  const end = text.indexOf(";");
  const type = (end === -1 ? text : text.slice(0, end)).trim().toLowerCase();
  const [kind, subtype, ...rest] = type.split("/");
  if (subtype === undefined || rest.length > 0 || !token.test(kind!) || !token.test(subtype))
    return undefined;
  const parameters = end === -1 ? new Map<string, string>() : parseParameters(text, end);
  return parameters === undefined ? undefined : { type, parameters };
}

/**
 * Parses parameters such as `; charset=utf-8; name="a b"`, from the position of the first semicolon. Returns `undefined`
 * if a parameter is invalid or occurs twice, because programs would choose different ones.
 */
export function parseParameters(text: string, from: number): ReadonlyMap<string, string> | undefined {
  const parameters = new Map<string, string>();
  let at = from;
  while (at < text.length) {
    if (text[at] !== ";") return undefined;
    at = skipBlanks(text, at + 1);
    // A semicolon without a parameter is allowed (RFC 9110, 5.6.6).
    if (at === text.length || text[at] === ";") continue;
    const equals = text.indexOf("=", at);
    if (equals === -1) return undefined;
    const name = text.slice(at, equals).toLowerCase();
    if (!token.test(name) || parameters.has(name)) return undefined;
    at = equals + 1;
    let value: string;
    if (text[at] === '"') {
      const closing = endOfQuoted(text, at + 1);
      if (closing === -1) return undefined;
      value = unescapeQuoted(text.slice(at + 1, closing));
      at = closing + 1;
    } else {
      const semicolon = text.indexOf(";", at);
      const end = semicolon === -1 ? text.length : semicolon;
      value = text.slice(at, end).trimEnd();
      if (!token.test(value)) return undefined;
      at = end;
    }
    parameters.set(name, value);
    at = skipBlanks(text, at);
  }
  return parameters;
}

function skipBlanks(text: string, at: number): number {
  while (text[at] === " " || text[at] === "\t") at += 1;
  return at;
}

function endOfQuoted(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    // A backslash escapes only a quote and itself: older browsers send paths such as "C:\photo.png" as they are.
    if (text[at] === "\\" && (text[at + 1] === '"' || text[at + 1] === "\\")) at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

function unescapeQuoted(text: string): string {
  return text.includes("\\") ? text.replaceAll(/\\(["\\])/g, "$1") : text;
}

/** Returns true for JSON: `application/json` and `application/<name>+json`, in lower case. */
export function isJsonType(type: string): boolean {
  return /^application\/(?:[!#$&^_.+a-z0-9-]+\+)?json$/.test(type);
}

/** Returns true if a media type in lower case is one of the types or ranges: `image/png` is in `image/*`. */
export function isInRanges(type: string, ranges: readonly string[]): boolean {
  return ranges.some((range) => {
    if (range === "*/*" || range === type) return true;
    return range.endsWith("/*") && type.startsWith(range.slice(0, -1));
  });
}

/** Returns true if text in this media type is UTF-8: there is no `charset`, or `charset` is UTF-8 or its subset ASCII. */
export function isUtf8({ parameters }: MediaType): boolean {
  const charset = parameters.get("charset")?.toLowerCase();
  return charset === undefined || charset === "utf-8" || charset === "utf8" || charset === "us-ascii";
}
