import { AssertionError } from "node:assert";
import { after, test, type TestContext } from "node:test";
import { removeProjects } from "./projects.ts";
import { requireTest } from "./reference.ts";
import { nameOf, type Open, type Section, type Statement } from "./statement.ts";

/** Registers a test for each statement of the sections. */
export function run(...sections: readonly Section[]): void {
  for (const section of sections) {
    for (const statement of section.statements) {
      test(nameOf(section, statement), async (t) => prove(statement, t));
    }
  }
  after(removeProjects);
}

async function prove(statement: Statement, t: TestContext): Promise<void> {
  if ("open" in statement) return staysOpen(statement, t);
  if ("changed" in statement) t.diagnostic(`changed on purpose: ${statement.changed}`);
  if ("provenBy" in statement) for (const reference of statement.provenBy) await requireTest(reference);
  else await statement.test();
}

/** Passes as long as the statement is not true. Any failure except the expected one is an error. */
async function staysOpen({ open, test: holds }: Open, t: TestContext): Promise<void> {
  t.diagnostic(`open (${open.finding}): ${open.now}`);
  try {
    await holds();
  } catch (error) {
    if (error instanceof AssertionError && open.expectedError.test(error.message)) return;
    throw error;
  }
  throw new Error("This statement holds now: remove `open` from it.");
}
