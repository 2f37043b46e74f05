import { randomUUID } from "node:crypto";
import type { CreateNoteInput, Note } from "./notes.types.ts";

/**
 * Maximum number of stored notes. If it is exceeded, the oldest note is removed, so that a long run does not measure the garbage collector.
 */
const capacity = 1000;
const notes = new Map<string, Note>();
/**
 * Ids of the stored notes without the note that is always stored, as a ring: the queue of the peer in Rust. The first key of a `Map` is
 * found ever more slowly the more keys before it were deleted.
 */
const ids: string[] = [];
let oldest = 0;

/** Id of a note that is always stored, which the requests read. */
export const knownId = "6f1c2f0e-9f5d-4a3b-8e0a-3d7b1c5e2a10";
notes.set(knownId, {
  id: knownId,
  title: "Groceries",
  content: "Milk, eggs, flour",
  authorId: "ada",
  archived: false,
  createdAt: new Date("2026-01-01T10:00:00.000Z"),
  updatedAt: new Date("2026-01-01T10:00:00.000Z"),
});

/** Returns the note with this id. All subjects in JavaScript use the same store. */
export function find(id: string): Note | undefined {
  return notes.get(id);
}

/** Stores a new note. */
export function create(input: CreateNoteInput, authorId: string): Note {
  const now = new Date();
  const { title, content, archived } = input;
  const note: Note = { id: randomUUID(), title, content, authorId, archived, createdAt: now, updatedAt: now };
  notes.set(note.id, note);
  if (ids.length < capacity - 1) ids.push(note.id);
  else {
    notes.delete(ids[oldest]!);
    ids[oldest] = note.id;
    oldest = (oldest + 1) % ids.length;
  }
  return note;
}
