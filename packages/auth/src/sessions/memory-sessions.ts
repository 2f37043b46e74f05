import type { SessionStore, StoredSession } from "./session-store.ts";

/** Maximum number of sessions. Beyond it, the oldest ones end. */
const most = 10_000;

/**
 * Creates a store of sessions in the memory of the process, for tests and development. All sessions are lost when
 * the process ends, and other processes cannot read the sessions. If there are more than 10,000 sessions, the oldest
 * sessions end.
 *
 * @example
 * ```ts
 * const sessions = createSessions({ store: memorySessions() });
 * ```
 */
export function memorySessions(): SessionStore {
  const sessions = new Map<string, StoredSession>();
  const change = (id: string, changes: Partial<StoredSession>): void => {
    const session = sessions.get(id);
    if (session !== undefined) sessions.set(id, { ...session, ...changes });
  };
  return {
    async create(session) {
      const [oldest] = sessions.keys();
      if (sessions.size >= most && oldest !== undefined) sessions.delete(oldest);
      sessions.set(session.id, session);
    },
    read(id) {
      return sessions.get(id) ?? null;
    },
    async touch(id, seenAt) {
      change(id, { seenAt });
    },
    async update(id, data) {
      change(id, { data });
    },
    async rename(id, next, seenAt) {
      const session = sessions.get(id);
      if (session === undefined) return false;
      sessions.delete(id);
      sessions.set(next, { ...session, id: next, seenAt });
      return true;
    },
    async delete(id) {
      sessions.delete(id);
    },
    async deleteAll(subject, except) {
      for (const session of sessions.values()) {
        if (session.subject === subject && session.id !== except) sessions.delete(session.id);
      }
    },
  };
}
