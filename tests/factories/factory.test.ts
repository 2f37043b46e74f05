// Tests factories, matchers and suites in a copy of an example, with the same API that tests of projects use.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertMatches, createFactory, type Factory, schemaMatchers } from "@kit/testing";

import type { CreateUserInput as NewUser, User } from "../../examples/teams/src/users.types.ts";
import type {
  JoinTeamInput,
  TeamMember,
  TeamWithMembers,
  UpdateTeamInput,
} from "../../examples/teams/src/teams.types.ts";
import type { Todo } from "../../examples/teams/src/todos.types.ts";
import { Project } from "../e2e/support/project.ts";

let project: Project;
let root: string;
before(async () => {
  project = await Project.copy("teams");
  await project.kitOk("build");
  root = project.root;
});
after(() => project?.remove());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function read(value: unknown): NewUser {
  return value as NewUser;
}

describe("a factory", () => {
  test("creates readable values of the type that its call names", () => {
    const users = createFactory<User>({ root });
    assert.equal(users.type, "User");
    const user = users.build();
    assert.match(user.id, UUID);
    assert.match(user.email, /^[a-z]+\.[a-z]+\d+@example\.com$/);
    assert.match(user.displayName, /^[A-Z][a-z]+ [A-Z][a-z]+$/);
    assert.equal(user.status, "active");
    assert.deepEqual(user.createdAt, new Date("2026-01-01T12:01:00.000Z"));
    assert.equal(createFactory<NewUser>({ root }).type, "CreateUserInput");
  });

  test("creates the same values from the same seed, and others from another seed", () => {
    const make = (seed?: number): User[] =>
      createFactory<User>(seed === undefined ? { root } : { root, seed }).buildMany(3);
    assert.deepEqual(make(), make());
    assert.deepEqual(make(1), make());
    assert.notDeepEqual(make(2), make());
    const users = createFactory<User>({ root });
    const first = users.build();
    users.reset();
    assert.deepEqual(users.build(), first);
  });

  test("never creates the same value twice for a unique property", () => {
    const users = createFactory<User>({ root });
    const emails = users.buildMany(2000).map(({ email }) => email);
    assert.equal(new Set(emails).size, 2000);
    users.build({ email: "ada@example.com" });
    assert.throws(
      () => users.build({ email: "ada@example.com" }),
      /has the same `email` as an earlier value.* is @unique: "ada@example\.com"/,
    );
    const numbered = users.with((number) => ({ email: `user-${number}@example.com` }));
    assert.match(numbered.build().email, /^user-\d+@example\.com$/);
  });

  test("accepts values for some properties at any depth, and passes them on with `with`", () => {
    const teams = createFactory<TeamWithMembers>({ root });
    const analysts = teams.with({ name: "Analysts" });
    const team = analysts.build({ capacity: 3 });
    assert.equal(team.name, "Analysts");
    assert.equal(team.capacity, 3);
    assert.deepEqual(teams.build({ members: [] }).members, []);
    const [first, second] = analysts.buildMany(2, (number) => ({ capacity: number }));
    assert.notEqual(first?.capacity, second?.capacity);
    const memberships = createFactory<TeamMember>({ root });
    assert.equal(memberships.build({ teamId: team.id }).teamId, team.id);
    assert.match(memberships.build().userId, UUID);
  });

  test("refuses overrides that break a rule", () => {
    const users = createFactory<User>({ root });
    assert.throws(
      () => users.build({ displayName: "" }),
      /values given to the factory are not valid for User: \$\.displayName: expected string, 2 to 100 characters, received string of 0 characters.*buildInvalid/,
    );
  });

  test("creates a value that breaks exactly one rule", () => {
    const users = createFactory<NewUser>({ root });
    assert.equal([...read(users.buildInvalid("displayName", "maxLength")).displayName].length, 101);
    assert.equal([...read(users.buildInvalid("displayName", "minLength")).displayName].length, 1);
    assert.equal(Object.hasOwn(read(users.buildInvalid("email", "required")), "email"), false);
    assert.equal(read(users.buildInvalid("email", "null")).email, null);
    assert.notEqual(typeof read(users.buildInvalid("email", "type")).email, "string");
    assert.ok(!/^\S+@\S+\.\S+$/.test(read(users.buildInvalid("email", "format")).email));
    const teams = createFactory<TeamWithMembers>({ root });
    for (const index of [0, 1] as const) {
      const { members } = teams.buildInvalid(`members[${index}].role`, "enum") as TeamWithMembers;
      assert.ok(!["lead", "member"].includes(members[index]?.role as string), JSON.stringify(members));
      assert.ok(members.every((member, at) => at === index || ["lead", "member"].includes(member.role)));
    }
    const { createdAt } = teams.buildInvalid("createdAt", "format") as { createdAt: unknown };
    assert.equal(typeof createdAt, "string");
  });

  test("names the valid properties and rules in the error for an unknown property or rule", () => {
    const users = createFactory<NewUser>({ root });
    assert.throws(
      () => users.buildInvalid("emial" as "email", "format"),
      /CreateUserInput has no field `emial`\. Its fields are email, displayName, status/,
    );
    assert.throws(
      () => users.buildInvalid("status", "minLength"),
      /`status` of CreateUserInput has no rule `minLength`; it has null, type, enum/,
    );
    const { email } = users.buildInvalid("email", "maxLength") as { email: string };
    assert.ok(email.length > 255);
    const rules = users.invalid().map(({ field, rule }) => `${field} ${rule}`);
    assert.deepEqual(rules, [
      "email required",
      "email null",
      "email type",
      "email maxLength",
      "email format",
      "displayName required",
      "displayName null",
      "displayName type",
      "displayName minLength",
      "displayName maxLength",
      "status null",
      "status type",
      "status enum",
    ]);
  });

  test("throws an error that explains what to write if the type of the call is unknown", () => {
    interface Local {
      a: 1;
    }
    assert.throws(
      () => createFactory<Omit<User, "id">>({ root }),
      /createFactory<Omit<User, "id">> at .*is not the name of a type/,
    );
    assert.throws(() => createFactory<Local>({ root }), /`Local` at .* is declared in the test itself/);
    const make = createFactory;
    assert.throws(
      () => make<User>({ root }),
      /found no type argument of createFactory at .*createFactory<Note>\({ type: "Note" }\)/,
    );
    assert.equal(make<User>({ root, type: "User" }).type, "User");
    assert.throws(
      () => createFactory<User>({ root, type: "Usr" }),
      /The project has no type `Usr`\. Its types are .*CreateUserInput/,
    );
    assert.throws(
      () => createFactory<User>({ root: "/" }),
      /no list of the project's types: .*\.kit\/schemas\.json.*`kit build`/,
    );
  });
});

describe("a value is checked against its type", () => {
  test("in the form of a response and in the form that a handler returns", () => {
    const user = createFactory<User>({ root }).build();
    const held: unknown = user;
    assertMatches(held, "User", { root });
    assertMatches(JSON.parse(JSON.stringify(user)), "User", { root });
    assert.throws(
      () => assertMatches({ ...user, email: "ada", status: undefined }, "User", { root }),
      (error: Error) => {
        assert.equal(error.name, "AssertionError");
        assert.deepEqual(error.message.split("\n"), [
          "The value does not match User:",
          "  $.email: expected string in email format, at most 255 characters, received string of 3 characters",
          '  $.status: expected "active", "suspended" or "deleted", received nothing',
        ]);
        return true;
      },
    );
    assert.throws(() => assertMatches({}, "Usr", { root }), /The project has no type `Usr`/);
  });

  test("by a matcher for vitest", () => {
    const user = createFactory<User>({ root }).build();
    assert.equal(schemaMatchers.toMatchSchema(user, "User", { root }).pass, true);
    const refused = schemaMatchers.toMatchSchema({}, "User", { root });
    assert.equal(refused.pass, false);
    assert.match(refused.message(), /\$\.id: expected string in uuid format, received nothing/);
  });
});

// This function is never called, because only `tsc` checks its types.
export function types(
  users: Factory<User>,
  teams: Factory<TeamWithMembers>,
  joins: Factory<JoinTeamInput>,
  changes: Factory<UpdateTeamInput>,
  todos: Factory<Todo>,
): void {
  users.build({ status: "suspended" });
  // @ts-expect-error the property does not exist
  users.build({ mail: "ada@example.com" });
  // @ts-expect-error the union has no such value
  users.build({ status: "gone" });
  users.buildInvalid("email", "format");
  // @ts-expect-error there is no such property
  users.buildInvalid("mail", "format");
  // @ts-expect-error a timestamp has no length
  users.buildInvalid("createdAt", "minLength");
  // @ts-expect-error a string has no bounds
  users.buildInvalid("email", "maximum");
  teams.buildInvalid("members[0].joinedAt", "format");
  teams.buildInvalid("members", "type");
  teams.buildInvalid("capacity", "multipleOf");
  // @ts-expect-error a boolean has no format
  todos.buildInvalid("completed", "format");
  // @ts-expect-error the items have no such property
  teams.buildInvalid("members[0].name", "type");
  joins.buildInvalid("role", "enum");
  changes.buildInvalid("name", "maxLength");
  todos.with((number) => ({ title: `Todo ${number}` })).buildMany(3, { completed: true });
}
