import assert from "node:assert/strict";
import { glob } from "node:fs/promises";
import { jsonOf, textOf } from "../read.ts";
import { notes, onlyOnce, teams } from "../projects.ts";
import type { Project } from "../../e2e/support/project.ts";
import { at, type Section } from "../statement.ts";

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly $ref?: string;
}

interface Described {
  readonly table?: string;
  readonly schema: Schema;
  readonly inputSchema: Schema;
  readonly properties: readonly { readonly name: string; readonly tags: readonly string[] }[];
}

type Types = Readonly<Record<string, Described>>;

const typesOfNotes = onlyOnce(async () => jsonOf<Types>(await notes(), ".kit/schemas.json"));
const typesOfTeams = onlyOnce(async () => jsonOf<Types>(await teams(), ".kit/schemas.json"));

function typeOf(types: Types, name: string): Described {
  const found = types[name];
  assert.ok(found, `${name} is not among ${Object.keys(types).join(", ")}`);
  return found;
}

const fieldOf = ({ schema }: Described, name: string): Schema => schema.properties?.[name] ?? {};
const namesOf = ({ schema }: Described): string[] => Object.keys(schema.properties ?? {});
const tagsOf = ({ properties }: Described, name: string): readonly string[] =>
  properties.find((property) => property.name === name)?.tags ?? [];

/** Returns the SQL of all committed migrations of a project. */
async function migrationsOf(project: Project): Promise<string> {
  const texts: string[] = [];
  for await (const path of glob("migrations/*/migration.sql", { cwd: project.root }))
    texts.push(await textOf(project, path));
  return texts.join("\n");
}

/** Asserts that a column of the table `notes` matches the pattern. */
const column = (line: RegExp) => async (): Promise<void> => {
  const created = /CREATE TABLE notes \([^]*?\n\);/.exec(await migrationsOf(await notes()))?.[0] ?? "";
  assert.match(created, line);
};

const timestampInPlace =
  "columns of new tables are `timestamptz(3)`, since `timestamp` loses the zone and keeps microseconds that a Date does not have; tables of earlier migrations, as that of Notes, stay as they are";

export const note: Section = {
  number: "2.2",
  title: "Note",
  statements: [
    {
      title: "the table of Note is `notes`",
      test: async () => assert.equal(typeOf(await typesOfNotes(), "Note").table, "notes"),
    },
    {
      title:
        "Note has the properties id, title, content, authorId, archived, createdAt and updatedAt, all of them required",
      test: async () => {
        const found = typeOf(await typesOfNotes(), "Note");
        const names = ["id", "title", "content", "authorId", "archived", "createdAt", "updatedAt"];
        assert.deepEqual(namesOf(found), names);
        assert.deepEqual(found.schema.required, names);
      },
    },
    {
      title: "the id of a note is a string that kit generates",
      test: async () => {
        const found = typeOf(await typesOfNotes(), "Note");
        assert.equal(fieldOf(found, "id").type, "string");
        assert.deepEqual(tagsOf(found, "id").slice(0, 2), ["@id", "@generated uuid"]);
      },
    },
    {
      title: "the column id is a UUID, the primary key, and random by default",
      test: column(/^ {2}id uuid PRIMARY KEY DEFAULT gen_random_uuid\(\)/m),
    },
    {
      title: "the column title is varchar(200) not null",
      test: column(/^ {2}title varchar\(200\) NOT NULL/m),
    },
    {
      title: "the column content is varchar(10000) not null",
      test: column(/^ {2}content varchar\(10000\) NOT NULL/m),
    },
    {
      title: "the column author_id is varchar(100) not null",
      test: column(/^ {2}author_id varchar\(100\) NOT NULL/m),
    },
    {
      title: "the column archived is boolean, false by default, not null",
      test: column(/^ {2}archived boolean DEFAULT false NOT NULL/m),
    },
    {
      title: "the column created_at is a timestamp, now by default, and not null",
      test: column(/^ {2}created_at timestamp DEFAULT now\(\) NOT NULL/m),
    },
    {
      title: "the column updated_at is a timestamp, now by default, and not null",
      test: column(/^ {2}updated_at timestamp DEFAULT now\(\) NOT NULL/m),
    },
    {
      title: "a property of type Date is a column of type timestamp",
      changed: timestampInPlace,
      provenBy: at(
        "crates/kit-database/tests/goldens.rs",
        "matches_the_goldens_of_the_reference_entities",
        "matches_the_goldens_of_the_reference_entities_with_timestamp_columns",
      ),
    },
    {
      title: "CreateNoteInput is Note without id, createdAt and updatedAt",
      test: async () =>
        assert.deepEqual(namesOf(typeOf(await typesOfNotes(), "CreateNoteInput")), [
          "title",
          "content",
          "authorId",
          "archived",
        ]),
    },
    {
      title: "UpdateNoteInput has title, content and archived, all optional",
      test: async () => {
        const found = typeOf(await typesOfNotes(), "UpdateNoteInput");
        assert.deepEqual(namesOf(found), ["title", "content", "archived"]);
        assert.deepEqual(found.schema.required ?? [], []);
      },
    },
    {
      title: "NoteSummary has id, title, archived and createdAt",
      test: async () =>
        assert.deepEqual(namesOf(typeOf(await typesOfNotes(), "NoteSummary")), [
          "id",
          "title",
          "archived",
          "createdAt",
        ]),
    },
    {
      title: "PaginatedResponse has data and pagination { total, page, pageSize, totalPages }",
      test: async () => {
        const found = typeOf(await typesOfNotes(), "PaginatedResponseOfNoteSummary");
        assert.deepEqual(namesOf(found), ["data", "pagination"]);
        assert.equal(fieldOf(found, "data").type, "array");
        const pagination = fieldOf(found, "pagination");
        assert.deepEqual(Object.keys(pagination.properties ?? {}), [
          "total",
          "page",
          "pageSize",
          "totalPages",
        ]);
        assert.deepEqual(pagination.required, ["total", "page", "pageSize", "totalPages"]);
      },
    },
  ],
};

export const otherEntities: Section = {
  number: "2.3",
  title: "User and Todo",
  statements: [
    {
      title: "User is the table `users` with id, email, displayName, status, createdAt and updatedAt",
      test: async () => {
        const user = typeOf(await typesOfTeams(), "User");
        assert.equal(user.table, "users");
        assert.deepEqual(namesOf(user), ["id", "email", "displayName", "status", "createdAt", "updatedAt"]);
        assert.deepEqual(tagsOf(user, "id").slice(0, 2), ["@id", "@generated uuid"]);
      },
    },
    {
      title: "User.email is an email address and unique",
      test: async () => {
        const user = typeOf(await typesOfTeams(), "User");
        assert.equal(fieldOf(user, "email").format, "email");
        assert.ok(tagsOf(user, "email").includes("@unique"));
      },
    },
    {
      title: "User.email has at most 255 characters, also in the OpenAPI document",
      test: async () => {
        const { components } = await jsonOf<{ components: { schemas: Record<string, Schema> } }>(
          await teams(),
          ".kit/schemas/openapi.json",
        );
        assert.equal(components.schemas["User"]?.properties?.["email"]?.maxLength, 255);
      },
    },
    {
      title: "User.displayName has 2 to 100 characters",
      test: async () => {
        const { minLength, maxLength } = fieldOf(typeOf(await typesOfTeams(), "User"), "displayName");
        assert.deepEqual([minLength, maxLength], [2, 100]);
      },
    },
    {
      title: "User.status is active, suspended or deleted, and active by default",
      test: async () => {
        const user = typeOf(await typesOfTeams(), "User");
        const sql = await migrationsOf(await teams());
        assert.match(sql, /CHECK \(status IN \('active', 'suspended', 'deleted'\)\)/);
        assert.match(sql, /status text DEFAULT 'active' NOT NULL/);
        assert.ok(tagsOf(user, "status").some((tag) => tag.startsWith("@default")));
      },
    },
    {
      title: "Todo is the table `todos` with id, title, completed, userId, createdAt and updatedAt",
      test: async () => {
        const todo = typeOf(await typesOfTeams(), "Todo");
        assert.equal(todo.table, "todos");
        assert.deepEqual(namesOf(todo), ["id", "title", "completed", "userId", "createdAt", "updatedAt"]);
        assert.equal(fieldOf(todo, "completed").type, "boolean");
      },
    },
    {
      title: "Todo.title has 1 to 200 characters",
      test: async () => {
        const { minLength, maxLength } = fieldOf(typeOf(await typesOfTeams(), "Todo"), "title");
        assert.deepEqual([minLength, maxLength], [1, 200]);
      },
    },
    {
      title: "Todo.userId refers to User.id",
      test: async () => {
        assert.ok(
          tagsOf(typeOf(await typesOfTeams(), "Todo"), "userId").some((tag) => tag.includes("User.id")),
        );
        assert.match(await migrationsOf(await teams()), /FOREIGN KEY \(user_id\) REFERENCES users \(id\)/);
      },
    },
  ],
};
