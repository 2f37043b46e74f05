/** Why there is no embedded database, and in `hint` what to do about it. */
export class DevDatabaseError extends Error {
  override readonly name = "DevDatabaseError";
  /** What to do; part of the message too. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(hint === undefined ? message : `${message}\n${hint}`);
    this.hint = hint;
  }
}

/** The way out that always exists. */
export const USE_YOUR_OWN =
  "Or set DATABASE_URL to a PostgreSQL of your own: DATABASE_URL=postgres://user:password@host:5432/database";

/** The `code` of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
