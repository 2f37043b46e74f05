/** Tag of a sequence. */
export const sequence = 0x30;

/** Reads values of ASN.1 in DER (X.690), one after the other. The counterpart is `crates/kit-tls/src/der.rs`. */
export class DerReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /**
   * Returns tag and content of the next value.
   *
   * @throws {RangeError} if there is no valid value.
   */
  next(): { readonly tag: number; readonly content: Buffer } {
    const bytes = this.#bytes;
    const [tag, first] = [bytes[this.#at], bytes[this.#at + 1]];
    // A tag whose lowest bits are all set continues in further bytes. No field of a certificate has such a tag.
    if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw invalid();
    let length = first;
    let start = this.#at + 2;
    if (first >= 0x80) {
      // The other bits are the number of bytes of the length. 0 means that the length is unknown, which DER forbids.
      const count = first & 0x7f;
      if (count === 0 || count > 3 || start + count > bytes.length) throw invalid();
      length = bytes.readUIntBE(start, count);
      start += count;
    }
    if (start + length > bytes.length) throw invalid();
    this.#at = start + length;
    return { tag, content: bytes.subarray(start, this.#at) };
  }

  /**
   * Returns the content of the next value.
   *
   * @throws {RangeError} if the value has another tag.
   */
  expect(tag: number): Buffer {
    const found = this.next();
    if (found.tag !== tag) throw invalid();
    return found.content;
  }
}

function invalid(): RangeError {
  return new RangeError("The bytes are not valid DER");
}

/** Returns the text of a string value. Returns `undefined` for types that no authority should use any more, such as `TeletexString`. */
export function decodeText(tag: number, content: Buffer): string | undefined {
  switch (tag) {
    // `UTF8String`
    case 0x0c:
      return decoded("utf-8", content);
    // `PrintableString` and `IA5String`
    case 0x13:
    case 0x16:
      return content.every((byte) => byte < 0x80) ? content.toString("latin1") : undefined;
    // `BMPString`
    case 0x1e:
      return content.length % 2 === 0 ? decoded("utf-16be", content) : undefined;
    default:
      return undefined;
  }
}

function decoded(encoding: string, content: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** Returns an object identifier as numbers with dots. Returns `undefined` if the identifier is not valid. */
export function decodeIdentifier(content: Buffer): string | undefined {
  const numbers: bigint[] = [];
  let number = 0n;
  for (const byte of content) {
    number = number * 128n + BigInt(byte & 0x7f);
    if (number > 0xffff_ffff_ffff_ffffn) return undefined;
    if (byte < 0x80) {
      numbers.push(number);
      number = 0n;
    }
  }
  const [first, ...rest] = numbers;
  if (first === undefined || content.at(-1)! >= 0x80) return undefined;
  // The first number on the wire contains two numbers.
  const top = first < 80n ? first / 40n : 2n;
  return [top, first - 40n * top, ...rest].join(".");
}
