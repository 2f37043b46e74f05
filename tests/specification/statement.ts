/** Location of a test that proves a statement. */
export interface Reference {
  /** Path from the root of the repository: a `*.test.ts` file, a Rust file with tests, or a file of cases in `conformance/`. */
  readonly file: string;
  /**
   * Title of the test as its source has it: `kit build > gives the same bytes in two directories`, `shows_rules_and_uses_of_a_type`. Titles of
   * enclosing suites are needed only if the file has the title twice. In a template literal `${…}` stays as it is written.
   */
  readonly test: string;
}

/** Test of a statement. The test passes if the statement is true. */
export type Proof = () => void | Promise<void>;

/** Statement that a function in this directory proves. */
export interface TestedHere {
  /** The statement in few words. */
  readonly title: string;
  readonly test: Proof;
}

/** Statement that tests in other directories prove. These tests must exist and must not be skipped. */
export interface TestedElsewhere {
  readonly title: string;
  readonly provenBy: readonly Reference[];
}

/** Statement that kit deviates from on purpose. The test proves kit's actual behavior. */
export type Changed = (TestedHere | TestedElsewhere) & {
  /** Actual behavior of kit, with the reason. */
  readonly changed: string;
};

/** Statement that is not true yet. Its test runs and must fail. As soon as the test passes, the run fails. */
export interface Open {
  readonly title: string;
  readonly open: {
    /** Short name of the finding, such as `A5`. */
    readonly finding: string;
    /** Current behavior of kit. */
    readonly now: string;
    /** Matches the message of the failing assertion. Any other failure proves nothing about the statement. */
    readonly expectedError: RegExp;
  };
  readonly test: Proof;
}

/** Testable statement of the specification. */
export type Statement = TestedHere | TestedElsewhere | Changed | Open;

/** Statements about one subject. */
export interface Section {
  /** Number of the section, such as `4.1`. */
  readonly number: string;
  readonly title: string;
  readonly statements: readonly Statement[];
}

/** Kinds of statements, for counting. */
export type Kind = "tested here" | "tested elsewhere" | "changed on purpose" | "open";

/** Returns the kind of a statement. */
export function kindOf(statement: Statement): Kind {
  if ("open" in statement) return "open";
  if ("changed" in statement) return "changed on purpose";
  return "provenBy" in statement ? "tested elsewhere" : "tested here";
}

/** Returns the name of a statement's test: `4.1 Endpoint rules: a trailing slash does not matter`. */
export function nameOf(section: Section, statement: Statement): string {
  return `${section.number} ${section.title}: ${statement.title}`;
}

/** Returns references to tests of one file. */
export function at(file: string, ...tests: readonly string[]): readonly Reference[] {
  return tests.map((test) => ({ file, test }));
}
