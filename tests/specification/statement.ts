/** Test that proves a statement: its file and its title. */
export interface Reference {
  /** Path from the root of the repository: a `*.test.ts` file, a Rust file with tests, or a file of cases in `conformance/`. */
  readonly file: string;
  /**
   * Title of the test as in the source: `kit build > gives the same bytes in two directories`, `shows_rules_and_uses_of_a_type`. The titles
   * of the suites around it are needed only if the file contains the title twice. In a template literal, `${…}` stays as it is written.
   */
  readonly test: string;
}

/** Function that passes if the statement is true. */
export type Proof = () => void | Promise<void>;

/** Statement that is tested in this directory. */
export interface TestedHere {
  /** Statement in a few words. */
  readonly title: string;
  readonly test: Proof;
}

/** Statement that is tested in another directory. The tests must exist and must not be skipped. */
export interface TestedElsewhere {
  readonly title: string;
  readonly provenBy: readonly Reference[];
}

/** Statement of the specification that kit does not follow, on purpose. The test proves what kit does instead. */
export type Changed = (TestedHere | TestedElsewhere) & {
  /** Behavior of kit, with the reason. */
  readonly changed: string;
};

/** Statement that is not true yet. Its test runs and must fail. When the test passes for the first time, the run fails. */
export interface Open {
  readonly title: string;
  readonly open: {
    /** Short name of the open problem, such as `A5`. */
    readonly finding: string;
    /** Behavior of kit until then. */
    readonly now: string;
    /** Matches the message of the assertion that fails. Any other failure proves nothing about the statement. */
    readonly expectedError: RegExp;
  };
  readonly test: Proof;
}

/** Statement of the specification that a test can check. */
export type Statement = TestedHere | TestedElsewhere | Changed | Open;

/** Statements about one subject, as in a section of the specification. */
export interface Section {
  /** Number of the section in the specification, such as `4.1`. */
  readonly number: string;
  readonly title: string;
  readonly statements: readonly Statement[];
}

/** Kinds of statements. Statements are counted by kind. */
export type Kind = "tested here" | "tested elsewhere" | "changed on purpose" | "open";

/** Returns the kind of a statement. */
export function kindOf(statement: Statement): Kind {
  if ("open" in statement) return "open";
  if ("changed" in statement) return "changed on purpose";
  return "provenBy" in statement ? "tested elsewhere" : "tested here";
}

/** Returns the name of the test of a statement: `4.1 Endpoint rules: a trailing slash does not matter`. */
export function nameOf(section: Section, statement: Statement): string {
  return `${section.number} ${section.title}: ${statement.title}`;
}

/** Returns references to one or more tests in a file. */
export function at(file: string, ...tests: readonly string[]): readonly Reference[] {
  return tests.map((test) => ({ file, test }));
}
