/** A table: what its columns are called in SQL, by the properties that they store. */
export interface Table<Row, New> {
  /** The name in SQL, quoted where it has to be. */
  name: string;
  /** The names of the columns in SQL. */
  columns: Readonly<Record<keyof Row & string, string>>;
  /** Properties that are stored as JSON. */
  json: readonly (keyof New & string)[];
  /** Properties that every update sets to the current time. */
  onUpdate: readonly (keyof New & string)[];
  /** Properties whose columns are `timestamp`, without a time zone: there is UTC in them. */
  timestamps?: readonly (keyof New & string)[];
  /** Properties that an insert which leaves them out sets to the current time: the default of the database has microseconds. */
  onInsert?: readonly (keyof New & string)[];
}

/** A statement with its values, as `pool.query` of `pg` takes it. */
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

/** The rows that have these values, or all of them. */
export function select<Row, New>(table: Table<Row, New>, where: Partial<Row> = {}): Query {
  const values: unknown[] = [];
  const condition = conditions(table, where, values);
  return { text: `SELECT ${all(table)} FROM ${table.name}${condition && ` WHERE ${condition}`}`, values };
}

/** Inserts a row and returns it. What is left out gets its default. */
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

/** Changes the rows that have these values, and returns them. What is left out stays as it is. */
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
  if (assignments.length === 0) throw new Error(`there is nothing to change in ${table.name}`);
  const condition = conditions(table, where, values);
  if (condition === "") throw new Error(`an update of ${table.name} needs to say which rows it changes`);
  return {
    text: `UPDATE ${table.name} SET ${assignments.join(", ")} WHERE ${condition} RETURNING ${all(table)}`,
    values,
  };
}

/** The current time in milliseconds, as a `Date` has it: a row is found again by the time that was read. */
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
    .filter(([, value]) => value !== undefined)
    .map(([property, value]: [string, unknown]) => {
      if (value === null) return `${columnOf(table, property)} IS NULL`;
      values.push(value);
      return `${columnOf(table, property)} = $${values.length}`;
    })
    .join(" AND ");
}
