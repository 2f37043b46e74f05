import type { ProjectTypes } from "../project/known-types.ts";
import { toWire } from "../values/index.ts";

/** Runs a query and returns its rows, each value as a string. */
export type Query = (sql: string) => Promise<(string | null)[][]>;

/** Column of a table in the database. */
interface Column {
  readonly name: string;
  /** Data type, for example `ARRAY`, `jsonb` or `timestamp without time zone`. */
  readonly type: string;
}

/** Inserts values into the tables of their types. Does not depend on the database driver of the application. */
export class Rows {
  readonly #types: ProjectTypes;
  readonly #query: Query;
  readonly #columns: Map<string, readonly Column[]> = new Map();

  constructor(types: ProjectTypes, query: Query) {
    this.#types = types;
    this.#query = query;
  }

  /**
   * Inserts rows in one statement.
   *
   * @throws {Error} if the type has no table, a property has no column, or the database refuses a row.
   */
  async insert(type: string, values: readonly unknown[]): Promise<void> {
    if (values.length === 0) return;
    const entry = this.#types.entry(type);
    const { table } = entry;
    if (table === undefined) {
      throw new Error(`Cannot insert ${type}, because the type has no table. Add \`@table\` to the type`);
    }
    const columns = await this.#columnsOf(table);
    const places = entry.properties.map(({ name, tags }) => {
      const tagged = tags?.find((tag) => tag.startsWith("@column "))?.slice("@column ".length);
      const column = columns.find((each) =>
        tagged === undefined ? plain(each.name) === plain(name) : each.name === tagged,
      );
      if (column !== undefined) return { name, column };
      throw new Error(
        `The table ${table} has no column for the property \`${name}\` of ${type}. Its columns are ${columns.map((each) => each.name).join(", ")}. If the type is newer than the migrations, run \`kit migrate:generate\``,
      );
    });
    const names = places.map(({ column }) => quoted(column.name)).join(", ");
    const rows = values.map((value) => {
      const cells = places.map(({ name, column }) => cell(Reflect.get(value as object, name), column));
      return `(${cells.join(", ")})`;
    });
    // If a value has an id, the row gets it. Without this clause, the database would refuse an id for a column that it
    // generates.
    const sql = `INSERT INTO ${table.split(".").map(quoted).join(".")} (${names}) OVERRIDING SYSTEM VALUE VALUES ${rows.join(", ")}`;
    try {
      await this.#query(sql);
    } catch (cause) {
      const said = cause instanceof Error ? cause.message : String(cause);
      throw new Error(
        `Cannot insert ${values.length === 1 ? "a value" : `${values.length} values`} of ${type} into the table ${table}: ${said}`,
        { cause },
      );
    }
  }

  async #columnsOf(table: string): Promise<readonly Column[]> {
    let known = this.#columns.get(table);
    if (known === undefined) {
      // Names of tables have no dot, so the part before a dot is the schema.
      const [name = table, schema] = table.split(".").toReversed();
      const where = `table_schema = ${schema === undefined ? "current_schema()" : literal(schema)} AND table_name = ${literal(name)}`;
      const rows = await this.#query(
        `SELECT column_name, data_type FROM information_schema.columns WHERE ${where} ORDER BY ordinal_position`,
      );
      known = rows.map(([column, type]) => ({ name: column ?? "", type: type ?? "" }));
      if (known.length === 0) {
        throw new Error(
          `The test database has no table ${table}. Create a migration: \`kit migrate:generate --name create_${name}\``,
        );
      }
      this.#columns.set(table, known);
    }
    return known;
  }
}

/** Returns a name in lower case and without separators, so that `createdAt` and `created_at` are equal. */
function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

function cell(value: unknown, { type }: Column): string {
  if (value === undefined) return "DEFAULT";
  if (value === null) return "NULL";
  if (type === "json" || type === "jsonb") return literal(JSON.stringify(toWire(value)));
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString("hex")}'`;
  if (Array.isArray(value)) {
    const items = value.map((item) => cell(item ?? null, { name: "", type: "" }));
    return items.length === 0 ? "'{}'" : `ARRAY[${items.join(", ")}]`;
  }
  if (value instanceof Date) return literal(value.toISOString());
  if (typeof value === "object") return literal(JSON.stringify(toWire(value)));
  return literal(String(value as string | number | bigint | boolean));
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a string as an SQL literal. PostgreSQL converts it to the type of the column. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
