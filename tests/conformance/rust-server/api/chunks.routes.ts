// The contracts of `tests/conformance/chunks.test.ts`.

import type { Chunks, Route } from "@kit/types";

/** Bytes that the handler has read. */
export interface ChunksRead {
  type: string;
  bytes: number;
  /** Sum of all bytes. */
  sum: number;
}

export interface ChunkRoutes {
  "PUT /chunks": Route<{ body: Chunks<"video/mp4" | "application/*">; response: ChunksRead }>;
  "PUT /chunks/first": Route<{ body: Chunks; response: ChunksRead }>;
}
