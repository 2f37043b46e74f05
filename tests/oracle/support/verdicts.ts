// Whether kit's validators and TypeScript's assignability say the same of values.
//
// kit drops keys that a type does not declare, and an excess key makes TypeScript refuse objects of optional properties. So the
// two are held together like this: what kit takes must, as kit decodes it, be assignable; what kit refuses must not be.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { Checker } from "./checker.ts";
import type { Graph } from "./graph.ts";
import { literalType, onTheWire } from "./literal.ts";
import { needsPlain, plain } from "./plain.ts";
import { Dice, heights, Values } from "./values.ts";

/** A type whose validator is put to the test. */
export interface Subject {
  file: string;
  name: string;
  /** TypeScript's form of it in the graph. */
  type: number;
  /** The name of kit's artifacts. */
  artifact: string;
}

/** The face of a generated validator. */
interface Validator {
  is: (value: unknown) => boolean;
  failures: (value: unknown) => readonly { path: string }[];
  decode: (value: unknown) => unknown;
}

/** A value that was shown to a validator. */
interface Shown {
  subject: Subject;
  /** As text. */
  value: string;
  accepted: boolean;
  /** The literal type to ask TypeScript about: of the decoded value where it was accepted. */
  literal: string;
}

/** The file of literal types, which is only in memory. */
const VALUES = "values.ts";
const VALID = 6;
const SPOILED = 12;
const STRANGE = 4;

/** What is wrong with the verdicts on each subject, and how many values were shown. */
export async function compareVerdicts(
  root: string,
  graph: Graph,
  subjects: readonly Subject[],
  before: Checker,
): Promise<{ wrong: Map<Subject, string[]>; shown: number; accepted: number }> {
  const wrong = new Map<Subject, string[]>(subjects.map((subject) => [subject, []]));
  const shown: Shown[] = [];
  const targets = new Map<Subject, string>();
  const height = heights(graph);
  let text = "";
  for (const [index, subject] of subjects.entries()) {
    const complaints = wrong.get(subject) ?? [];
    const validator = await load(root, subject.artifact);
    for (const value of samples(graph, subject, height))
      shown.push(...show(subject, validator, value, complaints));
    if (!needsPlain(graph, subject.type)) continue;
    const { name, text: declarations } = plain(graph, subject.type, `P${index}`);
    targets.set(subject, name);
    text += declarations;
  }
  text += shown.map(({ literal }, index) => `export type V${index} = ${literal};\n`).join("");
  const checker = Checker.of(root, new Map([[VALUES, text]]), before);
  for (const [index, { subject, value, accepted, literal }] of shown.entries()) {
    const name = targets.get(subject);
    const target = name === undefined ? checker.type(subject.file, subject.name) : checker.type(VALUES, name);
    const assignable = checker.checker.isTypeAssignableTo(checker.type(VALUES, `V${index}`), target);
    if (assignable === accepted) continue;
    wrong
      .get(subject)
      ?.push(
        accepted
          ? `kit takes ${value}, and TypeScript does not assign ${literal}`
          : `kit refuses ${value}, which TypeScript assigns`,
      );
  }
  const accepted = shown.filter((one) => one.accepted).length;
  return { wrong, shown: shown.length, accepted };
}

/** Shows a value to the validator; nothing where the validator already contradicts itself. */
function show(subject: Subject, validator: Validator, value: unknown, complaints: string[]): Shown[] {
  const wire = onTheWire(value);
  const text = inspect(wire, { depth: 8, breakLength: Infinity });
  try {
    const accepted = validator.is(wire);
    const failures = validator.failures(wire).length;
    if (accepted !== (failures === 0))
      complaints.push(`\`is\` says ${accepted} of ${text}, with ${failures} failures`);
    const literal = literalType(accepted ? validator.decode(wire) : value);
    return [{ subject, value: text, accepted, literal }];
  } catch (error) {
    complaints.push(`the validator throws at ${text}: ${String(error)}`);
    return [];
  }
}

async function load(root: string, artifact: string): Promise<Validator> {
  const path = join(root, ".kit/validators", `${artifact}.validator.ts`);
  const module = (await import(pathToFileURL(path).href)) as Record<string, Validator>;
  const validator = module[`${artifact}Validator`];
  if (validator === undefined) throw new Error(`${path} has no validator`);
  return validator;
}

/** Values of the type, the same with something changed, and strange ones: the same in every run. */
function samples(graph: Graph, subject: Subject, height: ReadonlyMap<number, number>): unknown[] {
  const dice = new Dice(`${subject.file}:${subject.name}`);
  const values = new Values(graph, dice, height);
  const valid = Array.from({ length: VALID }, () => values.of(subject.type)).filter(
    (value) => value !== undefined,
  );
  const strange = Array.from({ length: STRANGE }, () => values.any());
  const base = valid.length > 0 ? valid : strange;
  const spoiled = Array.from({ length: SPOILED }, () =>
    dice.chance(20) ? values.mix(dice.pick(base), dice.pick(base)) : values.spoil(dice.pick(base)),
  );
  return [...valid, ...spoiled, ...strange];
}
