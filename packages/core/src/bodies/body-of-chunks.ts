import type { ChunkedBody, UploadDestination } from "@kit/types";

import { pipeChunksTo } from "./pipe-to.ts";

/** Body of `Chunks`, which its handler reads while it arrives. */
export class BodyOfChunks implements ChunkedBody {
  readonly type: string;
  readonly #chunks: AsyncIterable<Uint8Array>;
  #isIterated = false;

  constructor(chunks: AsyncIterable<Uint8Array>, type: string) {
    this.#chunks = chunks;
    this.type = type;
  }

  /** @throws {TypeError} If the body was read before. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    if (this.#isIterated) throw new TypeError("The request body can be read only once");
    this.#isIterated = true;
    return this.#chunks[Symbol.asyncIterator]();
  }

  pipeTo(destination: UploadDestination): Promise<void> {
    return pipeChunksTo(this, destination);
  }
}
