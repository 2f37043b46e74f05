/** The parts of `pg` that read and write values. */
interface Driver {
  defaults: { parseInputDatesAsUTC?: boolean | undefined };
  types: { setTypeParser(oid: number, parse: (text: string) => unknown): void };
}

/**
 * Configures `pg` to read and write values as these types declare: times in UTC, days as text, and `bigint` columns as `bigint`.
 * Call the function once, before the first query, and connect with the time zone UTC.
 *
 * @example
 * ```ts
 * import pg from "pg";
 *
 * configure(pg);
 * const pool = new pg.Pool({ options: "-c TimeZone=UTC" });
 * // An idle connection that breaks is an event, which would end the process without this listener.
 * pool.on("error", (error) => console.error(`database: ${error.message}`));
 * ```
 */
export function configure(pg: Driver): void {
  pg.types.setTypeParser(1114, (text) => new Date(`${text.replace(" ", "T")}Z`));
  pg.types.setTypeParser(1082, String);
  pg.types.setTypeParser(20, BigInt);
  pg.types.setTypeParser(1016, (text) => elements(text).map(BigInt));
  pg.types.setTypeParser(1231, elements);
  pg.defaults.parseInputDatesAsUTC = true;
}

/** The elements of an array of numbers in PostgreSQL's text form, such as `{1,2}`. */
function elements(text: string): string[] {
  return text === "{}" ? [] : text.slice(1, -1).split(",");
}
