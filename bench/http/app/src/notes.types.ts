/** Note that the application stores. */
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

/** Input for creating a note. */
export type CreateNoteInput = Omit<Note, "id" | "createdAt" | "updatedAt" | "authorId">;

/** State of the server. */
export interface Health {
  status: string;
}

/** Id of a note in the database. */
export interface StoredNoteParams {
  /** @format uuid */
  id: string;
}

/** User and tenant of a request, as added by middleware. */
export interface Account {
  userId: string;
  tenant: string;
  locale: string;
  used: number;
}
