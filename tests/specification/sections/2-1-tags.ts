import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { jsonOf, textOf } from "../read.ts";
import { onlyOnce, playground, playgroundApp, projectOf } from "../projects.ts";
import { playgroundFiles } from "../playground.ts";
import { at, type Section, type Statement } from "../statement.ts";

/** SQL that the draft migration contains for the table `SmallThing`. */
const table = onlyOnce(async () => {
  const sql = await textOf(await playground(), ".kit/migrations/pending.sql");
  const found = /CREATE TABLE small_things \([^]*?\n\);/.exec(sql);
  assert.ok(found, sql);
  return found[0];
});

/** Asserts that a line of the table's SQL matches the pattern. */
const hasColumn = (line: RegExp) => async (): Promise<void> => assert.match(await table(), line);

/** Sends a body to the playground. Returns the status of the response. */
async function statusOf(method: "POST" | "PUT", path: string, body: unknown): Promise<number> {
  const api = (await playgroundApp()).with({});
  return (await (method === "POST" ? api.post(path, body) : api.put(path, body))).status;
}

/** Asserts the status of the response to each body. */
const answers =
  (path: string, ...cases: readonly (readonly [body: object, status: number])[]) =>
  async (): Promise<void> => {
    for (const [body, status] of cases)
      assert.equal(await statusOf("POST", path, body), status, JSON.stringify(body));
  };

const formats: readonly (readonly [format: string, good: string, bad: string])[] = [
  ["email", "ada@example.com", "ada"],
  ["uri", "https://example.com/a?b=c", "not a uri"],
  ["uuid", "123e4567-e89b-42d3-a456-426614174000", "123e4567"],
  ["date", "2026-02-28", "2026-02-30"],
  ["date-time", "2026-02-28T10:00:00Z", "2026-02-28 at ten"],
  ["ipv4", "192.0.2.1", "192.0.2.256"],
  ["ipv6", "2001:db8::1", "2001:db8::g"],
];

const formatStatements = formats.map(([format, good, bad]): Statement => ({
  title: `@format ${format} accepts ${good} and refuses ${JSON.stringify(bad)}`,
  test: answers("/formats", [{ [format]: good }, 201], [{ [format]: bad }, 400]),
}));

export const tags: Section = {
  number: "2.1",
  title: "Entities and tags",
  statements: [
    {
      title: "@table with a name creates a table with that name",
      provenBy: at("crates/kit-database/tests/goldens.rs", "matches_the_goldens_of_the_reference_entities"),
    },
    {
      title: "@table without a name creates a table with the name of the interface",
      test: hasColumn(/^CREATE TABLE small_things/),
    },
    {
      title: "an interface without @table has no table in the database",
      test: async () => {
        const project = await playground();
        assert.ok(existsSync(join(project.root, ".kit/validators/Formats.validator.ts")));
        assert.doesNotMatch(await textOf(project, ".kit/migrations/pending.sql"), /CREATE TABLE formats/);
        assert.equal(existsSync(join(project.root, ".kit/schemas/formats.ts")), false);
      },
    },
    {
      title: "an entity is an exported interface, and @table on anything else is an error",
      provenBy: at("crates/kit-typescript/tests/suite/docs.rs", "an_entity_must_be_an_exported_object"),
    },
    {
      title: "one comment may contain several tags",
      test: async () => {
        await hasColumn(/^ {2}name varchar\(5\) NOT NULL/m)();
        await hasColumn(/UNIQUE \(name\)/)();
        await answers("/things", [{ name: "a", count: 1 }, 400])();
      },
    },
    {
      title: "a property with ? may be missing, and any other property may not",
      test: answers(
        "/things",
        [{ name: "abc", count: 1, note: "x" }, 201],
        [{ name: "abc", count: 1 }, 201],
        [{ count: 1 }, 400],
      ),
    },
    {
      title: "Omit of an entity is an input type",
      test: answers("/things", [{ name: "abc", count: 1 }, 201], [{ name: "", count: 1 }, 400]),
    },
    {
      title: "Partial of an entity is an input type, with its rules",
      test: async () => {
        assert.equal(await statusOf("PUT", "/things", {}), 200);
        assert.equal(await statusOf("PUT", "/things", { name: "toolong" }), 400);
      },
    },
    {
      title: "Pick of an entity is an input and output type, with its rules",
      test: answers("/names", [{ name: "abc" }, 201], [{ name: "a" }, 400]),
    },
    { title: "@id is the primary key", test: hasColumn(/^ {2}id uuid PRIMARY KEY/m) },
    {
      title: "@generated uuid is a random UUID",
      test: hasColumn(/^ {2}id uuid .*DEFAULT gen_random_uuid\(\)/m),
    },
    {
      title: "@generated now is the time of the insert",
      test: hasColumn(/^ {2}created_at .*DEFAULT now\(\)/m),
    },
    {
      title: "@generated without a kind is allowed",
      test: async () => {
        const { SmallThing } = await jsonOf<
          Record<string, { properties: { name: string; tags: string[] }[] }>
        >(await playground(), ".kit/schemas.json");
        const serial = SmallThing!.properties.find(({ name }) => name === "serial");
        assert.ok(serial?.tags.includes("@generated"), String(serial?.tags));
      },
    },
    {
      title: "@generated with an unknown kind fails the build",
      provenBy: at("crates/kit-typescript/tests/suite/docs.rs", "explains_invalid_tags"),
    },
    {
      title: "@onUpdate now sets the current time at every update",
      provenBy: at(
        "tests/e2e/servers/notes.test.ts",
        "changes the properties in the body and updatedAt, and no others",
        "updates updatedAt for a body without properties, and changes nothing else",
      ),
    },
    {
      title: "@default sets a value that a request omits",
      test: async () => {
        const answer = await (await playgroundApp()).with({}).post<object>("/things", { name: "abc" });
        assert.deepEqual(answer.body, { name: "abc", count: 3 });
      },
    },
    { title: "@default is the default of the column", test: hasColumn(/^ {2}count .*DEFAULT 3/m) },
    {
      title: "@minLength is the least number of characters of a string",
      test: answers("/names", [{ name: "ab" }, 201], [{ name: "a" }, 400]),
    },
    {
      title: "@maxLength is the greatest number of characters of a string",
      test: answers("/names", [{ name: "abcde" }, 201], [{ name: "abcdef" }, 400]),
    },
    ...formatStatements,
    {
      title: "an unknown @format fails the build, with its name and location",
      test: async () => {
        const types = playgroundFiles["src/things.types.ts"]!.replace("@format uri", "@format urll");
        const project = await projectOf({ ...playgroundFiles, "src/things.types.ts": types });
        const { code, stderr } = await project.kit(["build"]);
        assert.equal(code, 1);
        assert.match(stderr, /urll[^]*src\/things\.types\.ts:\d+/);
        assert.equal(existsSync(join(project.root, ".kit/validators")), false);
      },
    },
    { title: "@unique creates a unique column", test: hasColumn(/UNIQUE \(name\)/) },
    {
      title: "a column with @unique refuses the same value a second time",
      provenBy: at("tests/e2e/servers/teams.test.ts", "cannot have the email address of another user"),
    },
  ],
};
