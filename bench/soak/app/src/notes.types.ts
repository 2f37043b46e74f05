/** A note. */
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

/** What a client sends to make one. */
export type CreateNoteInput = Omit<Note, "id" | "createdAt" | "authorId">;

/** A page of text that no socket's buffer holds. */
export interface LargePage {
  lines: string[];
}

/** The number of a request that a client makes once. */
export interface Mark {
  /** @maxLength 40 */
  mark: string;
}

/** What the process holds, after a collection of garbage. */
export interface Held {
  heapBytes: number;
  externalBytes: number;
}
