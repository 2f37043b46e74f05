/**
 * Error of the embedded database. `hint` says what the user can do.
 *
 * @example
 * ```ts
 * try {
 *   await openDatabase();
 * } catch (error) {
 *   if (error instanceof DevDatabaseError) console.error(error.hint);
 * }
 * ```
 */
export class DevDatabaseError extends Error {
  override readonly name = "DevDatabaseError";
  /** Suggestion for the user. The message contains it too. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(hint === undefined ? message : `${message}\n${hint}`);
    this.hint = hint;
  }
}

/** Suggestion that always applies. */
export const USE_YOUR_OWN =
  "Or set DATABASE_URL to a PostgreSQL of your own: DATABASE_URL=postgres://user:password@host:5432/database";

/** Returns the `code` of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Returns the message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
