import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Maximum number of errors to read in a chain of causes. A longer chain is circular. */
const depth = 8;
/** SQL states of PostgreSQL for a table or column that does not exist. */
const undefinedTable = "42P01";
const undefinedColumn = "42703";

/** Table or column that the program uses and the database lacks. */
export interface MissingSchema {
  /** Description of the missing table or column: `the database lacks a table, "notes"`. */
  readonly what: string;
  /** First migration of the project that creates the table or column. `undefined` if no migration does. */
  readonly migration: string | undefined;
  /** Advice, with the command to run. */
  readonly help: string;
}

/**
 * Determines the table or column that the database lacks, if an error or one of its causes reports a missing
 * table or column. Also finds the migration that creates it, because in most cases this migration was not
 * applied. Never throws.
 */
export function missingSchema(thrown: unknown, projectRoot: string): MissingSchema | undefined {
  try {
    let error = thrown;
    for (let level = 0; level < depth && error instanceof Error; level += 1) {
      const { code, message, cause } = error as NodeJS.ErrnoException;
      if (code === undefinedTable) return describe("table", namesIn(message)[0], projectRoot);
      if (code === undefinedColumn) return describe("column", columnIn(message), projectRoot);
      error = cause;
    }
  } catch {
    // A getter of a foreign error threw.
  }
  return undefined;
}

/** Returns the problem and the advice in one line, for the log. */
export function helpOf({ what, migration, help }: MissingSchema): string {
  return `${what}${migration === undefined ? "" : `, which the migration ${migration} makes`}: ${help}`;
}

function describe(kind: "table" | "column", name: string | undefined, projectRoot: string): MissingSchema {
  const what = `the database lacks a ${kind}${name === undefined ? "" : `, "${name}"`}`;
  const migration = name === undefined ? undefined : migrationOf(kind, name, projectRoot);
  const help =
    migration === undefined
      ? "run `kit migrate:apply`; if the types are newer than the migrations, `kit migrate:generate --name <name>` first"
      : "run `kit migrate:apply`";
  return { what, migration, help };
}

/** Returns the quoted names of a message: `relation "app.notes" does not exist` gives `["notes"]`. */
function namesIn(message: string): string[] {
  return message.split('"').flatMap((part, index) => (index % 2 === 1 ? [part.split(".").at(-1)!] : []));
}

/** Parses `column "title" of relation "notes" does not exist` and `column notes.title does not exist`. */
function columnIn(message: string): string | undefined {
  const [quoted] = namesIn(message);
  if (quoted !== undefined) return quoted;
  const [, name] = message.split(" ");
  return name?.split(".").at(-1);
}

/**
 * Cached migrations by the table or column that they create, because consecutive requests fail for the same reason. The
 * cache is bounded, because the names come from a database.
 */
const known = new Map<string, string | undefined>();
const mostKnown = 100;

function migrationOf(kind: "table" | "column", name: string, projectRoot: string): string | undefined {
  const key = `${projectRoot}\0${kind}\0${name}`;
  if (known.has(key)) return known.get(key);
  const migration = findMigration(kind, name, projectRoot);
  if (known.size < mostKnown) known.set(key, migration);
  return migration;
}

/**
 * Returns the first migration that creates the table or column. `undefined` if the project's migrations are not on
 * disk.
 */
function findMigration(kind: "table" | "column", name: string, projectRoot: string): string | undefined {
  const directory = join(projectRoot, "migrations");
  if (!existsSync(directory)) return undefined;
  const found = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted()
    .map((migration) => ({ migration, words: wordsOf(join(directory, migration, "migration.sql")) }));
  const wanted = name.toLowerCase();
  const makes = ({ words }: { words: readonly string[] }): boolean =>
    kind === "table"
      ? isMade(words, ["create", "table"], wanted)
      : isMade(words, ["add", "column"], wanted) || (words.includes("create") && words.includes(wanted));
  return found.find(makes)?.migration;
}

/** Returns true if the words contain a statement such as `create table notes`, with or without `if not exists`. */
function isMade(words: readonly string[], statement: readonly [string, string], name: string): boolean {
  return words.some((word, index) => {
    if (word !== statement[0] || words[index + 1] !== statement[1]) return false;
    const at = words[index + 2] === "if" ? index + 5 : index + 2;
    return words[at]?.split(".").at(-1) === name;
  });
}

/** Returns the words of an SQL file in lower case and without quotes. Empty if the file does not exist. */
function wordsOf(path: string): readonly string[] {
  try {
    return (
      readFileSync(path, "utf8")
        .toLowerCase()
        .replaceAll('"', "")
        .match(/[^\s(),;]+/g) ?? []
    );
  } catch {
    return [];
  }
}
