/** Note. */
export interface Note {
  /** @id @generated uuid */
  id: string;
  /** @minLength 1 @maxLength 200 */
  title: string;
  /** @maxLength 10000 */
  content: string;
  /** @maxLength 100 */
  authorId: string;
  /** @default false */
  archived: boolean;
  /** @generated now */
  createdAt: Date;
}

/** Input for creating a note. */
export type CreateNoteInput = Omit<Note, "id" | "createdAt" | "authorId">;

/** Page of text that is larger than a socket's buffers. */
export interface LargePage {
  lines: string[];
}

/** Number of a request that a client sends once. */
export interface Mark {
  /** @maxLength 40 */
  mark: string;
}

/** Memory of the process after a garbage collection. */
export interface Memory {
  heapBytes: number;
  externalBytes: number;
}
