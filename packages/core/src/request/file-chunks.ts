import type { OpenDescriptor } from "../files/open-descriptor.ts";
import type { ByteRange } from "../files/range.ts";

/** Part of a body: bytes, or a range of a file. */
export type BodyPart = Uint8Array | ByteRange;

const chunkBytes = 64 * 1024;

/** Returns the number of bytes of a body. */
export function lengthOfParts(parts: readonly BodyPart[]): number {
  return parts.reduce((sum, part) => sum + (part instanceof Uint8Array ? part.length : sizeOf(part)), 0);
}

function sizeOf({ first, last }: ByteRange): number {
  return last - first + 1;
}

/** Reads a body in chunks of 64 KiB, and closes its file at the end or when the body is cancelled. */
export class FileChunks implements AsyncIterableIterator<Uint8Array> {
  readonly #file: OpenDescriptor;
  readonly #parts: readonly BodyPart[];
  #index = 0;
  /** Number of bytes of the current range that are read. */
  #read = 0;

  constructor(file: OpenDescriptor, parts: readonly BodyPart[]) {
    this.#file = file;
    this.#parts = parts;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const part = this.#parts[this.#index];
    if (part === undefined) return this.return();
    if (part instanceof Uint8Array) {
      this.#index += 1;
      return { done: false, value: part };
    }
    const left = sizeOf(part) - this.#read;
    const value = await this.#file.read(part.first + this.#read, Math.min(left, chunkBytes));
    this.#read += value.length;
    if (value.length === left) {
      this.#index += 1;
      this.#read = 0;
    }
    return { done: false, value };
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#file.close();
    return Promise.resolve({ done: true, value: undefined });
  }
}
