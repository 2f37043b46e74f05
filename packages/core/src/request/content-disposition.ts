/** Header `content-disposition` of downloads (RFC 6266). `crates/kit-runtime` writes the same values. */

// oxlint-disable-next-line no-control-regex -- names may come from clients
const controls = /[\x00-\x1f\x7f]/g;
/** Characters that an old client cannot read in `filename`: not in ASCII, in need of escapes, or decoded by some browsers. */
const replaced = /[^\x20-\x7e]|[%"\\]/gu;
/** Bytes that need no escape in `filename*` (RFC 8187, 3.2.1). */
const plain = /^[A-Za-z0-9!#$&+\-.^_`|~]$/;

/**
 * Returns the value that makes browsers save a body under a name. Directories in the name and control characters are left out.
 *
 * @throws {TypeError} If nothing is left of the name.
 */
export function attachmentOf(given: string): string {
  if (typeof given !== "string") throw new TypeError("download: `attachment` must be the name of a file");
  const name = given
    .slice(Math.max(given.lastIndexOf("/"), given.lastIndexOf("\\")) + 1)
    .replace(controls, "");
  if (name === "")
    throw new TypeError(`download: \`attachment\` must be the name of a file, not ${JSON.stringify(given)}`);
  const ascii = name.replace(replaced, "_");
  const isPlain = !/[^\x20-\x7e]|%/.test(name);
  if (isPlain) return `attachment; filename="${name.replaceAll('"', '\\"')}"`;
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encode(name)}`;
}

function encode(name: string): string {
  let text = "";
  for (const byte of Buffer.from(name)) {
    const character = String.fromCharCode(byte);
    text += plain.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return text;
}
