/**
 * Error of the embedded database. `hint` tells the user how to solve the problem.
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
  /** Advice for the user. The message also contains this advice. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(hint === undefined ? message : `${message}\n${hint}`);
    this.hint = hint;
  }
}

/** Advice that helps with every failure of the embedded database. */
export const USE_YOUR_OWN =
  "Or set DATABASE_URL to a PostgreSQL of your own: DATABASE_URL=postgres://user:password@host:5432/database";

/** Returns the property `code` of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Returns the message of any thrown value, which need not be an `Error`. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
