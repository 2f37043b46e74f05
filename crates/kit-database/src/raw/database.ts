/** A table, with the names of its columns in SQL by property. */
export interface Table<Row, New> {
  /** The name in SQL, quoted if SQL requires quotes. */
  name: string;
  /** The names of the columns in SQL. */
  columns: Readonly<Record<keyof Row & string, string>>;
  /** Properties that are stored as JSON. */
  json: readonly (keyof New & string)[];
  /** Properties that every update sets to the current time. */
  onUpdate: readonly (keyof New & string)[];
  /** Properties that are stored in `timestamp` columns, without a time zone. The values are UTC. */
  timestamps?: readonly (keyof New & string)[];
  /** Properties that an insert sets to the current time if they are omitted, because the default of the database has microseconds. */
  onInsert?: readonly (keyof New & string)[];
}

/** A statement with its values, for `pool.query` of `pg`. */
export interface Query {
  text: string;
  values: unknown[];
}

/** All columns under the names of their properties: `SELECT ${all(notes)} FROM ${notes.name}`. */
export function all<Row, New>(table: Table<Row, New>): string {
  return Object.entries<string>(table.columns)
    .map(([property, column]) =>
      property === column ? column : `${column} AS "${property.replaceAll('"', '""')}"`,
    )
    .join(", ");
}

/** Selects the rows that have these values; without values, all rows. A value must not be `undefined`. */
export function select<Row, New>(table: Table<Row, New>, where: Partial<Row> = {}): Query {
  const values: unknown[] = [];
  const condition = conditions(table, where, values);
  return { text: `SELECT ${all(table)} FROM ${table.name}${condition && ` WHERE ${condition}`}`, values };
}

/** Inserts a row and returns it. An omitted value gets its default. */
export function insert<Row, New extends object>(table: Table<Row, New>, row: New): Query {
  const values: unknown[] = [];
  const given: Partial<New> = row;
  const made = (table.onInsert ?? []).filter((property) => given[property] === undefined);
  const set = [
    ...assigned(table, row, values),
    ...made.map((property): [string, string] => [columnOf(table, property), now(table, property)]),
  ];
  const what =
    set.length === 0
      ? "DEFAULT VALUES"
      : `(${set.map(([column]) => column).join(", ")}) VALUES (${set.map(([, value]) => value).join(", ")})`;
  return { text: `INSERT INTO ${table.name} ${what} RETURNING ${all(table)}`, values };
}

/** Changes the rows that have these values, which must not be `undefined`, and returns them. An omitted change has no effect. */
export function update<Row, New extends object>(
  table: Table<Row, New>,
  where: Partial<Row>,
  changes: Partial<New>,
): Query {
  const values: unknown[] = [];
  const set = assigned(table, changes, values);
  const touched = table.onUpdate.filter((property) => changes[property] === undefined);
  const assignments = [
    ...set.map(([column, value]) => `${column} = ${value}`),
    ...touched.map((property) => `${columnOf(table, property)} = ${now(table, property)}`),
  ];
  if (assignments.length === 0) throw new Error(`the update of ${table.name} contains no value to change`);
  const condition = conditions(table, where, values);
  if (condition === "")
    throw new Error(`the update of ${table.name} has no condition, and would change all rows`);
  return {
    text: `UPDATE ${table.name} SET ${assignments.join(", ")} WHERE ${condition} RETURNING ${all(table)}`,
    values,
  };
}

/** The current time in milliseconds, the precision of a `Date`, so that a query with a time that was read finds the row. */
function now<Row, New>(table: Table<Row, New>, property: keyof New & string): string {
  return table.timestamps?.includes(property)
    ? "date_trunc('milliseconds', now() AT TIME ZONE 'UTC')"
    : "now()";
}

function columnOf<Row, New>(table: Table<Row, New>, property: string): string {
  const column = new Map(Object.entries<string>(table.columns)).get(property);
  if (column === undefined) throw new Error(`${table.name} has no column for ${JSON.stringify(property)}`);
  return column;
}

function assigned<Row, New>(table: Table<Row, New>, row: object, values: unknown[]): [string, string][] {
  const json: readonly string[] = table.json;
  return Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .map(([property, value]: [string, unknown]) => {
      values.push(value !== null && json.includes(property) ? JSON.stringify(value) : value);
      return [columnOf(table, property), `$${values.length}`];
    });
}

function conditions<Row, New>(table: Table<Row, New>, where: Partial<Row>, values: unknown[]): string {
  return Object.entries(where)
    .map(([property, value]: [string, unknown]) => {
      // Without this condition, the statement would also concern the rows of others.
      if (value === undefined) {
        throw new Error(`the condition of ${table.name} has no value for ${JSON.stringify(property)}`);
      }
      if (value === null) return `${columnOf(table, property)} IS NULL`;
      values.push(value);
      return `${columnOf(table, property)} = $${values.length}`;
    })
    .join(" AND ");
}
