/**
 * First bytes of common types of files (WHATWG MIME Sniffing, 6). kit compares them with the type that a client declares,
 * because a browser may run a file that has another type than its name says.
 */
interface Signature {
  readonly type: string;
  /** Bytes at {@link Signature.offset}, as characters of Latin-1. */
  readonly start: string;
  readonly offset?: number;
}

const signatures: readonly Signature[] = [
  { type: "image/png", start: "\x89PNG\r\n\x1a\n" },
  { type: "image/jpeg", start: "\xff\xd8\xff" },
  { type: "image/gif", start: "GIF87a" },
  { type: "image/gif", start: "GIF89a" },
  { type: "image/webp", start: "WEBP", offset: 8 },
  { type: "image/bmp", start: "BM" },
  { type: "image/avif", start: "ftypavif", offset: 4 },
  { type: "application/pdf", start: "%PDF-" },
  { type: "video/webm", start: "\x1a\x45\xdf\xa3" },
  { type: "audio/mpeg", start: "ID3" },
  { type: "audio/wav", start: "WAVE", offset: 8 },
  { type: "application/ogg", start: "OggS\0" },
];

/** Number of bytes at the start of a file that are compared. */
export const greatestSignature: number = Math.max(
  ...signatures.map(({ start, offset = 0 }) => offset + start.length),
);

/** Types whose files always start with one of the signatures, so that other bytes are not a file of the type. */
const certain = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/bmp",
  "image/avif",
  "application/pdf",
  "video/webm",
]);

/** Types that browsers show or play, so that they are refused under another name. */
const shown = new Set([...certain].filter((type) => type !== "image/bmp"));

/**
 * Returns the type that the bytes really have if it contradicts the declared type: `image/png` for a PNG image that is
 * declared as text, and `other bytes` for a text that is declared as an image. `undefined` if there is no contradiction.
 */
export function contradictingType(declared: string, bytes: Uint8Array): string | undefined {
  const fitting = signatures.filter((signature) => startsWith(bytes, signature)).map(({ type }) => type);
  if (fitting.includes(declared)) return undefined;
  const found = fitting.find((type) => shown.has(type));
  if (found !== undefined) return found;
  return certain.has(declared) ? "other bytes" : undefined;
}

function startsWith(bytes: Uint8Array, { start, offset = 0 }: Signature): boolean {
  if (bytes.length < offset + start.length) return false;
  for (let index = 0; index < start.length; index += 1) {
    if (bytes[offset + index] !== start.charCodeAt(index)) return false;
  }
  return true;
}
