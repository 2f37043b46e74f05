/**
 * Ten schema changes that often cause problems. Each has the same tables, rows and intended change, as types for kit and as a schema for
 * drizzle.
 */

/** Change of a schema. */
export interface Case {
  readonly name: string;
  /** Intended change, in words. */
  readonly change: string;
  /** Schema before and after the change: bodies of interfaces for kit, and modules for drizzle. */
  readonly kit: { readonly before: string; readonly after: string };
  readonly drizzle: { readonly before: string; readonly after: string };
  /** SQL that inserts the existing rows. */
  readonly rows: string;
  /**
   * Queries that show the rows after the change as one text. The first query that succeeds is used, because the columns may have changed.
   */
  readonly probes: readonly string[];
  /** Keys to press at a question of drizzle-kit. Default: Enter. */
  readonly answer?: string;
}

const ID = "/** @id @integer @minimum 1 @maximum 2147483647 */ id: number;";

const kit = (property: string, tags = "@table notes"): string =>
  `/** ${tags} */\nexport interface Note {\n  ${ID}\n  ${property}\n}\n`;

const drizzle = (column: string, table = "notes", before = ""): string =>
  `import * as pg from "drizzle-orm/pg-core";\n${before}export const notes = pg.pgTable("${table}", {\n` +
  `  id: pg.integer("id").primaryKey(),\n  ${column}\n});\n`;

const probe = (column: string, table = "notes"): string =>
  `SELECT string_agg(coalesce(${column}::text, 'null'), ', ' ORDER BY id) FROM ${table}`;

const LEVELS = (values: string): string => `export const level = pg.pgEnum("level", [${values}]);\n`;

/** Cases in the order of the table in docs/migrations-compared.md. */
export const CASES: readonly Case[] = [
  {
    name: "rename-column",
    change: "a column that may be null gets another name",
    kit: { before: kit("title?: string;"), after: kit("/** @renamedFrom title */ heading?: string;") },
    drizzle: {
      before: drizzle('title: pg.text("title"),'),
      after: drizzle('heading: pg.text("heading"),'),
    },
    rows: "INSERT INTO notes VALUES (1, 'one'), (2, 'two')",
    probes: [probe("heading"), probe("title")],
    answer: "\u001b[B\r",
  },
  {
    name: "rename-table",
    change: "a table gets another name",
    kit: {
      before: kit("title: string;"),
      after: kit("title: string;", "@table memos @renamedFrom notes"),
    },
    drizzle: {
      before: drizzle('title: pg.text("title").notNull(),'),
      after: drizzle('title: pg.text("title").notNull(),', "memos"),
    },
    rows: "INSERT INTO notes VALUES (1, 'one'), (2, 'two')",
    probes: [probe("title", "memos"), probe("title")],
    answer: "\u001b[B\r",
  },
  {
    name: "required-column",
    change: "a column comes that may not be null and has no default",
    kit: { before: kit("title: string;"), after: kit("title: string;\n  owner: string;") },
    drizzle: {
      before: drizzle('title: pg.text("title").notNull(),'),
      after: drizzle('title: pg.text("title").notNull(),\n  owner: pg.text("owner").notNull(),'),
    },
    rows: "INSERT INTO notes VALUES (1, 'one'), (2, 'two')",
    probes: [probe("title || ' of ' || owner"), probe("title")],
  },
  {
    name: "shrink-enum",
    change: "an enum loses a value that a row has",
    kit: { before: kit('level: "low" | "high" | "max";'), after: kit('level: "low" | "high";') },
    drizzle: {
      before: drizzle('level: level("level").notNull(),', "notes", LEVELS('"low", "high", "max"')),
      after: drizzle('level: level("level").notNull(),', "notes", LEVELS('"low", "high"')),
    },
    rows: "INSERT INTO notes VALUES (1, 'low'), (2, 'max')",
    probes: [probe("level")],
  },
  {
    name: "text-to-integer",
    change: "a text becomes an integer; every row holds digits",
    kit: {
      before: kit("size: string;"),
      after: kit("/** @integer @minimum 0 @maximum 1000000 */ size: number;"),
    },
    drizzle: {
      before: drizzle('size: pg.text("size").notNull(),'),
      after: drizzle('size: pg.integer("size").notNull(),'),
    },
    rows: "INSERT INTO notes VALUES (1, '7'), (2, '42')",
    probes: [probe("pg_typeof(size) || ' ' || size")],
  },
  {
    name: "shorter-text",
    change: "varchar(20) becomes varchar(5); one row is longer, by spaces at its end",
    kit: {
      before: kit("/** @maxLength 20 */ code: string;"),
      after: kit("/** @maxLength 5 */ code: string;"),
    },
    drizzle: {
      before: drizzle('code: pg.varchar("code", { length: 20 }).notNull(),'),
      after: drizzle('code: pg.varchar("code", { length: 5 }).notNull(),'),
    },
    rows: "INSERT INTO notes VALUES (1, 'a'), (2, 'b         ')",
    probes: [probe("'<' || code || '>'")],
  },
  {
    name: "drop-column",
    change: "a column goes",
    kit: { before: kit("title: string;\n  old?: string;"), after: kit("title: string;") },
    drizzle: {
      before: drizzle('title: pg.text("title").notNull(),\n  old: pg.text("old"),'),
      after: drizzle('title: pg.text("title").notNull(),'),
    },
    rows: "INSERT INTO notes VALUES (1, 'one', 'x'), (2, 'two', 'y')",
    probes: [probe("old"), probe("title")],
  },
  {
    name: "not-null",
    change: "a column may not be null any more; one row has null",
    kit: { before: kit("owner?: string;"), after: kit("owner: string;") },
    drizzle: {
      before: drizzle('owner: pg.text("owner"),'),
      after: drizzle('owner: pg.text("owner").notNull(),'),
    },
    rows: "INSERT INTO notes VALUES (1, 'ada'), (2, NULL)",
    probes: [probe("owner")],
  },
  {
    name: "unique",
    change: "a column becomes unique; two rows are equal",
    kit: { before: kit("slug: string;"), after: kit("/** @unique */ slug: string;") },
    drizzle: {
      before: drizzle('slug: pg.text("slug").notNull(),'),
      after: drizzle('slug: pg.text("slug").notNull().unique(),'),
    },
    rows: "INSERT INTO notes VALUES (1, 'same'), (2, 'same')",
    probes: [probe("slug")],
  },
];

/** Schemas of two branches and of their common base. */
export interface Models {
  readonly before: string;
  readonly older: string;
  readonly younger: string;
}

/** Changes that two branches make at the same time. */
export interface Branches {
  readonly name: string;
  readonly change: string;
  readonly kit: Models;
  readonly drizzle: Models;
  readonly rows: string;
  readonly probes: readonly string[];
}

/** Two branches that add a column each. The migration of the younger branch is applied first. Then the other branch is merged. */
export const BRANCHES: Branches = {
  name: "merged-branches",
  change: "two branches add a column each; the younger one is deployed before the older one is merged",
  kit: {
    before: kit("title: string;"),
    older: kit("title: string;\n  older?: string;"),
    younger: kit("title: string;\n  younger?: string;"),
  },
  drizzle: {
    before: drizzle('title: pg.text("title").notNull(),'),
    older: drizzle('title: pg.text("title").notNull(),\n  older: pg.text("older"),'),
    younger: drizzle('title: pg.text("title").notNull(),\n  younger: pg.text("younger"),'),
  },
  rows: "INSERT INTO notes VALUES (1, 'one'), (2, 'two')",
  probes: [
    "SELECT string_agg(column_name, ', ' ORDER BY column_name) FROM information_schema.columns WHERE table_name = 'notes'",
  ],
};
