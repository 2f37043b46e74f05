/** The place of a test that proves a statement. */
export interface Reference {
  /** Path from the root of the repository: a `*.test.ts` file, a Rust file with tests, or a file of cases in `conformance/`. */
  readonly file: string;
  /**
   * Title of the test as its source has it: `kit build > gives the same bytes in two directories`, `shows_rules_and_uses_of_a_type`. Titles of
   * enclosing suites are needed only if the file has the title twice. In a template literal `${…}` stays as it is written.
   */
  readonly test: string;
}

/** Test of a statement. It passes if the statement holds. */
export type Proof = () => void | Promise<void>;

/** A statement that a function proves here. */
export interface TestedHere {
  /** The statement in few words. */
  readonly says: string;
  readonly test: Proof;
}

/** A statement that tests elsewhere in the repository prove. The tests must exist, and must not be skipped. */
export interface TestedElsewhere {
  readonly says: string;
  readonly servedBy: readonly Reference[];
}

/** A statement that kit deviates from on purpose. The test proves what kit does in its place. */
export type Changed = (TestedHere | TestedElsewhere) & {
  /** Behaviour of kit in place of the statement, and the reason. */
  readonly changed: string;
};

/** A statement that does not hold yet. Its test is run and must fail; it fails the run on the day it passes. */
export interface Open {
  readonly says: string;
  readonly open: {
    /** Short name of the finding: `A5`. */
    readonly finding: string;
    /** Behaviour of kit today. */
    readonly now: string;
    /** Matches the message of the assertion that fails: another failure proves nothing about the statement. */
    readonly fails: RegExp;
  };
  readonly test: Proof;
}

/** One testable statement of the specification. */
export type Statement = TestedHere | TestedElsewhere | Changed | Open;

/** Statements about one subject. */
export interface Section {
  /** Number of the section: `4.1`. */
  readonly number: string;
  readonly title: string;
  readonly statements: readonly Statement[];
}

/** The kinds of statements, as they are counted. */
export type Kind = "tested here" | "tested elsewhere" | "changed on purpose" | "open";

/** Kind of a statement. */
export function kindOf(statement: Statement): Kind {
  if ("open" in statement) return "open";
  if ("changed" in statement) return "changed on purpose";
  return "servedBy" in statement ? "tested elsewhere" : "tested here";
}

/** Name of the test of a statement: `4.1 Endpoint rules: a trailing slash does not matter`. */
export function nameOf({ number, title }: Section, { says }: Statement): string {
  return `${number} ${title}: ${says}`;
}

/** References to tests of one file. */
export function at(file: string, ...tests: readonly string[]): readonly Reference[] {
  return tests.map((test) => ({ file, test }));
}
