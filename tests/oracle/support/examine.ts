// Compares all fixtures, before the tests are declared.

import { Checker, Reader } from "./checker.ts";
import { colour } from "./equal.ts";
import { Graph } from "./graph.ts";
import { type IrDocument, type Declared, type Exported, readProgram } from "./ir.ts";
import type { Fixtures } from "./project.ts";
import { text } from "./text.ts";
import { compareVerdicts, type Subject } from "./verdicts.ts";

/** Subject of a comparison: the types themselves, the results of validators, or the error for a type that has no JSON form. */
export type About = "type" | "values" | "refusal";

/** Result of comparing one type. */
export interface Finding {
  /** Name of the fixture and the type, such as `mapped:Modifiers`. */
  type: string;
  about: About;
  /** Description of the difference. `undefined` if kit and TypeScript agree. */
  difference: string | undefined;
}

/** Results for all types. */
export interface Report {
  findings: Finding[];
  /** Errors that TypeScript reports for the fixtures themselves. */
  problems: string[];
  /** Number of values that validators checked, and number of those that they accepted. */
  values: { tested: number; accepted: number };
}

/** Matches the comment above a type that kit must refuse. */
const REFUSED = /^\/\/ refused: (KIT\d{4})$/m;

/** Maximum number of differences that are printed for one type. */
const MOST_SHOWN = 4;

/**
 * Compares every exported type of the fixtures. Returns the results. `isIntended` returns true for a wrong result of a validator that is
 * not a mistake.
 */
export async function examine(
  fixtures: Fixtures,
  isIntended: (type: Exported, complaint: string) => boolean = () => false,
): Promise<Report> {
  const checker = Checker.of(fixtures.root);
  const problems = checker.problems();
  const exported = (await fixtures.files()).flatMap((file) =>
    checker.exported(file).map((name): Exported => ({ file, name })),
  );
  const answer = await fixtures.build(exported);
  problems.push(
    ...answer.diagnostics
      .filter((said) => said.error)
      .map(({ place, code, message }) => `${place} ${code} ${message}`),
  );

  const graph = new Graph();
  const reader = new Reader(checker.checker, graph);
  const ofTypeScript = exported.map(({ file, name }) => reader.read(checker.type(file, name)));
  const ofKit = readProgram(answer.program, graph);
  const colours = colour(graph);

  const findings: Finding[] = [];
  const subjects: Subject[] = [];
  for (const [index, { file, name }] of exported.entries()) {
    const type = label({ file, name });
    const expected = ofTypeScript[index] ?? -1;
    const declared = ofKit.get(`${file}:${name}`);
    const code = REFUSED.exec(checker.comment(file, name))?.[1];
    if (code !== undefined) {
      const difference = compareRefusal(answer, declared, { file, name }, code);
      findings.push({ type, about: "refusal", difference });
      continue;
    }
    const strange = withoutJson(graph, expected);
    if (strange !== undefined) {
      problems.push(
        `${type} holds ${strange}, which has no JSON form: say \`// refused: KIT…\` above it, or change it`,
      );
      continue;
    }
    if (declared === undefined) {
      const why = reasons(answer, { file, name });
      const difference = `kit refuses it: ${why}\n  TypeScript: ${text(graph, expected)}`;
      findings.push({ type, about: "type", difference });
      continue;
    }
    const same = colours.get(expected) === colours.get(declared.type);
    const difference = same
      ? undefined
      : `TypeScript: ${text(graph, expected)}\n  kit:        ${text(graph, declared.type)}`;
    findings.push({ type, about: "type", difference });
    // If the types already differ, the results of their validators are not compared.
    if (same) subjects.push({ file, name, type: expected, artifact: declared.name });
  }
  // A build with an error writes no validators.
  if (answer.diagnostics.some((said) => said.error))
    return { findings, problems, values: { tested: 0, accepted: 0 } };
  const { wrong, ...values } = await compareVerdicts(fixtures.root, graph, subjects, checker);
  for (const [subject, all] of wrong) {
    const complaints = all.filter((complaint) => !isIntended(subject, complaint));
    const more = complaints.length > MOST_SHOWN ? [`and ${complaints.length - MOST_SHOWN} more`] : [];
    const difference =
      complaints.length === 0 ? undefined : [...complaints.slice(0, MOST_SHOWN), ...more].join("\n  ");
    findings.push({ type: label(subject), about: "values", difference });
  }
  return { findings, problems, values };
}

function label({ file, name }: Exported): string {
  return `${file.replace(/^types\//, "").replace(/\.types\.ts$/, "")}:${name}`;
}

function reasons(answer: IrDocument, { file, name }: Exported): string {
  const refused = answer.refused.find((one) => one.file === file && one.name === name);
  const errors = refused?.diagnostics.filter((said) => said.error) ?? [];
  return errors.length === 0
    ? "no error says why"
    : errors.map(({ code, message }) => `${code} ${message}`).join("; ");
}

function compareRefusal(
  answer: IrDocument,
  declared: Declared | undefined,
  exported: Exported,
  code: string,
): string | undefined {
  if (declared !== undefined) return `kit does not refuse it; expected ${code}`;
  const why = reasons(answer, exported);
  return why.includes(code) ? undefined : `kit refuses it with ${why}; expected ${code}`;
}

/** Returns a description of the first part of a type that has no JSON form. */
function withoutJson(graph: Graph, type: number): string | undefined {
  for (const id of graph.reachable(type)) {
    const node = graph.get(id);
    if (node.kind === "other") return `\`${node.text}\``;
    if (node.kind === "undefined") return "`undefined`";
  }
  return undefined;
}
