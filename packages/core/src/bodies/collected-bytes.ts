// This file is identical in packages/core/src/bodies and packages/server-node/src, because neither package may depend on the
// other.

/** Number of chunks that are kept as they are. Nearly all bodies have fewer chunks. */
const keptChunks = 16;
/** Number of bytes from which on a chunk is kept as it is. A kept chunk needs more than 500 bytes in addition to its own. */
const largeChunk = 1024;
/** Number of bytes of the memory into which smaller chunks are copied. */
const blockBytes = 16 * 1024;

const empty = Buffer.alloc(0);

/**
 * Bytes that arrive in chunks. The memory is at most about twice the number of bytes, even if a client sends each byte in a
 * chunk of its own.
 *
 * @example
 * ```ts
 * const collected = new CollectedBytes();
 * collected.add(Buffer.from("a"));
 * collected.add(Buffer.from("b"));
 * collected.take().toString(); // "ab"
 * ```
 */
export class CollectedBytes {
  #pieces: Uint8Array[] = [];
  #length = 0;
  /** Memory for small chunks. Its bytes from `#start` to `#end` are in no piece yet. */
  #block: Buffer = empty;
  #start = 0;
  #end = 0;

  /** Number of bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds a chunk, whose bytes must not change until {@link CollectedBytes.take}. */
  add(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (this.#pieces.length < keptChunks || chunk.length >= largeChunk) {
      this.#endPiece();
      this.#pieces.push(chunk);
      return;
    }
    if (this.#end + chunk.length > this.#block.length) {
      this.#endPiece();
      this.#block = Buffer.allocUnsafeSlow(blockBytes);
      this.#start = 0;
      this.#end = 0;
    }
    this.#block.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** Returns all bytes, and forgets them. A single chunk is not copied. */
  take(): Buffer {
    this.#endPiece();
    const pieces = this.#pieces;
    const [first] = pieces;
    const bytes =
      pieces.length === 1
        ? Buffer.from(first!.buffer, first!.byteOffset, first!.length)
        : Buffer.concat(pieces, this.#length);
    this.clear();
    return bytes;
  }

  /** Forgets all bytes. */
  clear(): void {
    this.#pieces = [];
    this.#length = 0;
    this.#start = this.#end;
  }

  /** Makes a piece of the bytes in the block that are in no piece yet. */
  #endPiece(): void {
    if (this.#end === this.#start) return;
    this.#pieces.push(this.#block.subarray(this.#start, this.#end));
    this.#start = this.#end;
  }
}
