/** A note, as in the reference application. It lives in memory: what is measured is the server, not a database. */
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
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

/** What a client sends to make a note. */
export type CreateNoteInput = Omit<Note, "id" | "createdAt" | "updatedAt" | "authorId">;

/** Whether the server is up. */
export interface Health {
  status: string;
}
