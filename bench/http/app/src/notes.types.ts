/** A note, as in the reference application. */
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

/** Which note of the database. */
export interface StoredNoteParams {
  /** @format uuid */
  id: string;
}

/** Who asks, and for whom, as middleware found it. */
export interface Account {
  userId: string;
  tenant: string;
  locale: string;
  used: number;
}
