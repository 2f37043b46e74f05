// Compares the results of kit's validators with TypeScript's assignability.
//
// kit drops keys that a type does not declare, but TypeScript refuses them in a literal. So a value that kit accepts must be
// assignable after kit has decoded it. A value that kit refuses must not be assignable.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { Checker } from "./checker.ts";
import type { Graph } from "./graph.ts";
import { literalType, onTheWire } from "./literal.ts";
import { needsPlain, plain } from "./plain.ts";
import { Random, heights, Values } from "./values.ts";

/** Type whose validator is compared with TypeScript. */
export interface Subject {
  file: string;
  name: string;
  /** Index of the type, as TypeScript expands it, in the graph. */
  type: number;
  /** Name of the type in kit's artifacts. */
  artifact: string;
}

/** Functions of a generated validator that this test calls. */
interface Validator {
  is: (value: unknown) => boolean;
  failures: (value: unknown) => readonly { path: string }[];
  decode: (value: unknown) => unknown;
}

/** Value that a validator has checked. */
interface TestedValue {
  subject: Subject;
  /** Value as text, for messages. */
  value: string;
  accepted: boolean;
  /** Literal type of the value for TypeScript. If the validator accepted the value, this is the type of the decoded value. */
  literal: string;
}

/** Name of the file with the literal types. The file exists only in memory. */
const VALUES = "values.ts";
const VALID = 6;
const SPOILED = 12;
const STRANGE = 4;

/** Returns the wrong results of each subject's validator, and the number of values. */
export async function compareVerdicts(
  root: string,
  graph: Graph,
  subjects: readonly Subject[],
  before: Checker,
): Promise<{ wrong: Map<Subject, string[]>; tested: number; accepted: number }> {
  const wrong = new Map<Subject, string[]>(subjects.map((subject) => [subject, []]));
  const tested: TestedValue[] = [];
  const targets = new Map<Subject, string>();
  const height = heights(graph);
  let text = "";
  for (const [index, subject] of subjects.entries()) {
    const complaints = wrong.get(subject) ?? [];
    const validator = await load(root, subject.artifact);
    for (const value of samples(graph, subject, height))
      tested.push(...show(subject, validator, value, complaints));
    if (!needsPlain(graph, subject.type)) continue;
    const { name, text: declarations } = plain(graph, subject.type, `P${index}`);
    targets.set(subject, name);
    text += declarations;
  }
  text += tested.map(({ literal }, index) => `export type V${index} = ${literal};\n`).join("");
  const checker = Checker.of(root, new Map([[VALUES, text]]), before);
  for (const [index, { subject, value, accepted, literal }] of tested.entries()) {
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
  const accepted = tested.filter((one) => one.accepted).length;
  return { wrong, tested: tested.length, accepted };
}

/**
 * Checks a value with the validator. Returns an empty list, and adds a complaint, if the functions of the validator contradict each other.
 */
function show(subject: Subject, validator: Validator, value: unknown, complaints: string[]): TestedValue[] {
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
  const path = join(root, ".kit/codecs.js");
  const module = (await import(pathToFileURL(path).href)) as Record<string, Validator>;
  const validator = module[`${artifact}Validator`];
  if (validator === undefined) throw new Error(`${path} has no validator`);
  return validator;
}

/** Returns values of the type, changed copies of them, and unrelated values. They are the same in every run. */
function samples(graph: Graph, subject: Subject, height: ReadonlyMap<number, number>): unknown[] {
  const dice = new Random(`${subject.file}:${subject.name}`);
  const values = new Values(graph, dice, height);
  const valid = Array.from({ length: VALID }, () => values.of(subject.type)).filter(
    (value) => value !== undefined,
  );
  const strange = Array.from({ length: STRANGE }, () => values.any());
  const base = valid.length > 0 ? valid : strange;
  const spoiled = Array.from({ length: SPOILED }, () =>
    dice.chance(20) ? values.mix(dice.pick(base), dice.pick(base)) : values.mutate(dice.pick(base)),
  );
  return [...valid, ...spoiled, ...strange];
}
