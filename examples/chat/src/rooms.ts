import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import { messages } from "../.kit/schemas/messages.ts";
import type { Message } from "./chat.types.ts";
import { channel, db } from "./database.ts";

/** Number of messages that are read at once. */
const pageSize = 100;

/** Functions that wait for the next message of a room, by the name of the room. */
const waiting = new Map<string, Set<() => void>>();

/** Wakes the readers of a room, because the room has a new message. */
export function wake(room: string): void {
  for (const ready of waiting.get(room) ?? []) ready();
}

/** Wakes all readers, because notifications may have been lost. */
export function wakeAll(): void {
  for (const room of waiting.keys()) wake(room);
}

/**
 * Stores a message, and notifies all workers. Messages of a room are stored one after the other, so that their ids are in the
 * order in which readers can see them. Otherwise, a reader that has seen the message 7 could miss the message 6.
 */
export async function say(message: Pick<Message, "room" | "author" | "text">): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(hashtextextended(${message.room}, 0))`);
    await transaction.insert(messages).values(message);
    // PostgreSQL sends the notification when the transaction is committed.
    await transaction.execute(sql`select pg_notify(${channel}, ${message.room})`);
  });
}

/** Returns the id before the last `count` messages of a room. `follow` then begins with these messages. */
export async function idBeforeLast(room: string, count: number): Promise<number> {
  const found = await db
    .select({ id: messages.id })
    .from(messages)
    .where(eq(messages.room, room))
    .orderBy(desc(messages.id))
    .offset(count)
    .limit(1);
  return found[0]?.id ?? 0;
}

/** Returns the messages of a room after an id, in their order. Waits for further messages until `signal` is aborted. */
export async function* follow(room: string, after: number, signal: AbortSignal): AsyncGenerator<Message> {
  let last = after;
  let isWoken = true;
  let ready: (() => void) | undefined;
  const onMessage = (): void => {
    isWoken = true;
    ready?.();
  };
  const end = (): void => ready?.();
  const readers = waiting.get(room) ?? new Set();
  waiting.set(room, readers.add(onMessage));
  signal.addEventListener("abort", end);
  try {
    while (!signal.aborted) {
      if (!isWoken) {
        await new Promise<void>((resolve) => (ready = resolve));
        continue;
      }
      isWoken = false;
      const page = await db
        .select()
        .from(messages)
        .where(and(eq(messages.room, room), gt(messages.id, last)))
        .orderBy(asc(messages.id))
        .limit(pageSize);
      // A full page may not be the last one.
      isWoken ||= page.length === pageSize;
      for (const message of page) {
        last = message.id;
        yield message;
      }
    }
  } finally {
    signal.removeEventListener("abort", end);
    readers.delete(onMessage);
    if (readers.size === 0) waiting.delete(room);
  }
}
