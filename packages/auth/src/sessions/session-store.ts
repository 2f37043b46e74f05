/** Session as a store keeps it. */
export interface StoredSession {
  /** SHA-256 of the token in base64url. The token itself is only in the cookie. */
  readonly id: string;
  /** Id of the user. */
  readonly subject: string;
  /** Data of the application, as JSON. */
  readonly data: string;
  /** Time of the login. */
  readonly createdAt: Date;
  /** Time of the last request, exact to a tenth of the idle time. */
  readonly seenAt: Date;
  /** Time after which the session ends, even if it is in use. */
  readonly expiresAt: Date;
}

/**
 * Store of sessions. Each function rejects if the store cannot be reached. Requests then get 503, and are never treated
 * as requests without a session.
 */
export interface SessionStore {
  /** Adds a session. */
  create(session: StoredSession, idleMs: number): Promise<void>;
  /**
   * Returns a session, or `null` if there is none, or a promise for it. May return a session that has ended. A store
   * in memory needs no promise, which would cost more than the look-up.
   */
  read(id: string): Promise<StoredSession | null> | StoredSession | null;
  /** Sets the time of the last request. Does nothing if the session does not exist any more. */
  touch(id: string, seenAt: Date, idleMs: number): Promise<void>;
  /** Replaces the data. Does nothing if the session does not exist any more. */
  update(id: string, data: string): Promise<void>;
  /**
   * Gives a session another id and sets the time of the last request, in one step, so that `deleteAll` ends the session
   * before or after. Resolves to false if the session does not exist any more.
   */
  rename(id: string, next: string, seenAt: Date, idleMs: number): Promise<boolean>;
  /** Removes a session, if it exists. */
  delete(id: string): Promise<void>;
  /** Removes all sessions of a user, except one if its id is given. */
  deleteAll(subject: string, except?: string): Promise<void>;
}
