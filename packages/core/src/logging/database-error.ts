/**
 * Redaction of errors of database libraries. These errors contain data that was sent to the database: drizzle writes
 * every parameter into its message, and PostgreSQL quotes the refused value. Data of users must not be logged. The
 * rest of the error is sufficient to locate the failure.
 */

/** Property names of drizzle and postgres.js for the parameters of a statement. */
const parameterLists: ReadonlySet<string> = new Set(["params", "parameters", "args", "values"]);

/** Redacted properties of an error, which the log shows in place of the original properties. */
export type ErrorView = ReadonlyMap<string, unknown>;

/**
 * Returns redacted values of the properties that may contain data. Returns `undefined` if the error is not from a
 * database library. Throws if a getter of the error throws.
 */
export function viewOfDatabaseError(error: object): ErrorView | undefined {
  const { message, stack, query, code, severity } = error as Readonly<Record<string, unknown>>;
  const isPostgres = typeof severity === "string" && typeof code === "string" && /^[0-9A-Z]{5}$/.test(code);
  const isStatement = typeof query === "string" && Array.isArray((error as { params?: unknown }).params);
  if (!isPostgres && !isStatement) return undefined;
  const view = new Map<string, unknown>();
  for (const [key, value] of Object.entries(error)) {
    if (parameterLists.has(key) && Array.isArray(value)) view.set(key, `[${value.length} redacted]`);
  }
  if (typeof message === "string") {
    const clean = isStatement ? withoutParameters(message) : withoutQuoted(message, code as string);
    view.set("message", clean);
    // A stack starts with the message.
    if (typeof stack === "string") view.set("stack", stack.split(message).join(clean));
  }
  if (isPostgres) {
    const { detail, where } = error as { detail?: unknown; where?: unknown };
    if (typeof detail === "string") view.set("detail", withoutKeyValues(detail));
    if (typeof where === "string" && /['"]/.test(where)) view.set("where", "[redacted]");
  }
  return view;
}

/** Returns the message of an error for the log. Never throws. */
export function messageForLog(error: unknown, message: string): string {
  if (typeof error !== "object" || error === null) return message;
  try {
    const clean = viewOfDatabaseError(error)?.get("message");
    return typeof clean === "string" ? clean : message;
  } catch {
    return message;
  }
}

/** Hides the parameters in `Failed query: insert …\nparams: Ada,…`. */
function withoutParameters(message: string): string {
  const start = message.indexOf("\nparams: ");
  return start === -1 ? message : `${message.slice(0, start)}\nparams: [redacted]`;
}

/**
 * Hides the value in `invalid input syntax for type uuid: "…"`. In messages about invalid data (class 22), the quoted
 * string is the data. In other messages it is a name.
 */
function withoutQuoted(message: string, code: string): string {
  const [start, end] = [message.indexOf('"'), message.lastIndexOf('"')];
  if (!code.startsWith("22") || start === end) return message;
  return `${message.slice(0, start)}"[redacted]"${message.slice(end + 1)}`;
}

/** Keeps the column names in `Key (email)=(ada@example.org) already exists.`. Other details contain rows and values. */
function withoutKeyValues(detail: string): string {
  const [start, separator] = ["Key (", ")=("];
  const columnsEnd = detail.indexOf(separator, start.length);
  const valuesEnd = detail.lastIndexOf(")");
  if (!detail.startsWith(start) || columnsEnd === -1 || valuesEnd < columnsEnd + separator.length)
    return "[redacted]";
  return `${detail.slice(0, columnsEnd)}${separator}[redacted]${detail.slice(valuesEnd)}`;
}
