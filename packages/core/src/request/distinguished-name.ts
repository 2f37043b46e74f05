/** Names of subjects and authorities as text (RFC 4514). The counterpart is `crates/kit-tls/src/name.rs`. */
import { decodeIdentifier, decodeText, DerReader, sequence } from "./der.ts";

/** Name of a certificate. */
export interface DistinguishedName {
  readonly text: string;
  /** The only `CN`. */
  readonly commonName: string | undefined;
}

interface Attribute {
  readonly identifier: Buffer;
  readonly tag: number;
  readonly value: Buffer;
}

/** Short names of attributes, by object identifier: those of RFC 4514, 3, and two that are common. */
const shortNames: Readonly<Record<string, string>> = {
  "2.5.4.3": "CN",
  "2.5.4.5": "serialNumber",
  "2.5.4.6": "C",
  "2.5.4.7": "L",
  "2.5.4.8": "ST",
  "2.5.4.9": "STREET",
  "2.5.4.10": "O",
  "2.5.4.11": "OU",
  "0.9.2342.19200300.100.1.1": "UID",
  "0.9.2342.19200300.100.1.25": "DC",
  "1.2.840.113549.1.9.1": "emailAddress",
};

/**
 * Reads the content of a name: a list of sets of attributes. The text begins with the last set (RFC 4514, 2.1).
 *
 * @throws {RangeError} if the bytes are no name.
 */
export function readName(content: Buffer): DistinguishedName {
  const sets: Attribute[][] = [];
  const list = new DerReader(content);
  while (!list.isAtEnd) {
    const attributes: Attribute[] = [];
    const set = new DerReader(list.next().content);
    while (!set.isAtEnd) {
      const attribute = new DerReader(set.expect(sequence));
      const identifier = attribute.expect(0x06);
      const { tag, content: value } = attribute.next();
      attributes.push({ identifier, tag, value });
    }
    sets.push(attributes);
  }
  const names = sets.flat().filter(({ identifier }) => shortNameOf(identifier) === "CN");
  const [only] = names;
  return {
    text: sets
      .toReversed()
      .map((set) => set.map(textOf).join("+"))
      .join(","),
    commonName: only !== undefined && names.length === 1 ? decodeText(only.tag, only.value) : undefined,
  };
}

function shortNameOf(identifier: Buffer): string | undefined {
  const dotted = decodeIdentifier(identifier);
  return dotted === undefined ? undefined : shortNames[dotted];
}

function textOf({ identifier, tag, value }: Attribute): string {
  const short = shortNameOf(identifier);
  const text = decodeText(tag, value);
  if (short !== undefined && text !== undefined) return `${short}=${escaped(text)}`;
  // Values without a text are written as the hexadecimal digits of their encoding.
  const name = short ?? decodeIdentifier(identifier) ?? "";
  const length =
    value.length < 0x80
      ? [value.length]
      : value.length < 0x100
        ? [0x81, value.length]
        : [value.length < 0x1_0000 ? 0x82 : 0x83, ...bytesOf(value.length)];
  return `${name}=#${Buffer.from([tag, ...length]).toString("hex")}${value.toString("hex")}`;
}

function bytesOf(length: number): readonly number[] {
  const bytes = [length >> 16, (length >> 8) & 0xff, length & 0xff];
  return bytes[0] === 0 ? bytes.slice(1) : bytes;
}

/** Escapes a value so that no value can look like another attribute (RFC 4514, 2.4). */
function escaped(value: string): string {
  return value.replace(/["+,;<>\\]|^#|^ | $/g, "\\$&").replace(/\p{Cc}/gu, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x80 ? `\\${code.toString(16).padStart(2, "0")}` : character;
  });
}
