// Contracts with types of packages, and the comparison of their validators with TypeScript.

import { Checker, Reader } from "../../oracle/support/checker.ts";
import { Graph } from "../../oracle/support/graph.ts";
import { compareVerdicts, type Subject } from "../../oracle/support/verdicts.ts";
import type { Project } from "../../e2e/support/project.ts";
import { ecosystemProject } from "./installed.ts";

/** Types of a package that a contract uses. */
export interface Contract {
  /** Imports and declarations before the types. */
  readonly source: string;
  /** Types by name. An interface `CaseOf` with this name contains the type in its property `value`. */
  readonly types: Readonly<Record<string, string>>;
  /** Types of answers that requests cannot contain, such as a class with `toJSON`. Requests contain all other types too. */
  readonly onlyAnswers?: readonly string[];
}

/** Error or warning of `kit build --json`. */
export interface Message {
  readonly code: string;
  readonly message: string;
  readonly path?: string;
  readonly suggestion?: string;
}

/** Result of the build of a contract. */
export interface Built {
  readonly project: Project;
  readonly failures: readonly Message[];
  /** Duration of the build in milliseconds. */
  readonly duration: number;
}

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "dom"],
    module: "esnext",
    moduleResolution: "bundler",
    types: ["node"],
    strict: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ["src"],
});

/** Returns the name of an interface of the contract, which no type of a package has. */
function interfaceOf(name: string): string {
  return `CaseOf${name}`;
}

/** Longest duration of a build in milliseconds. A build that takes longer is a defect. */
const PATIENCE = 60_000;

/** Builds a contract with some of its types. */
export async function build(contract: Contract, names: readonly string[]): Promise<Built> {
  const interfaces = names.map(
    (name) => `export interface ${interfaceOf(name)} { value: ${contract.types[name]} }`,
  );
  const routes = names.map((name) => {
    const own = interfaceOf(name);
    return contract.onlyAnswers?.includes(name)
      ? `  "GET /${name.toLowerCase()}": RouteContract<void, void, void, ${own}>;`
      : `  "PUT /${name.toLowerCase()}": RouteContract<void, void, ${own}, ${own}>;`;
  });
  const project = await ecosystemProject({
    "tsconfig.json": TSCONFIG,
    "src/all.types.ts": `${contract.source}\n${interfaces.join("\n")}\n`,
    "src/all.routes.ts": `import type { RouteContract } from "@kit/types";
import type { ${names.map(interfaceOf).join(", ")} } from "./all.types.ts";
export interface Routes {
${routes.join("\n")}
}
`,
  });
  const start = performance.now();
  const { code, stdout, stderr } = await project.kit(["build", "--json"], { timeout: PATIENCE });
  const duration = performance.now() - start;
  if (code === 0) return { project, failures: [], duration };
  try {
    return { project, failures: (JSON.parse(stdout) as { failures: Message[] }).failures, duration };
  } catch {
    throw new Error(`kit build printed no JSON:\n${stdout}${stderr}`);
  }
}

/** Result of the comparison of validators with TypeScript. */
export interface Comparison {
  readonly wrong: readonly string[];
  readonly tested: number;
  readonly accepted: number;
}

/** Compares the validators of a built contract with TypeScript on sampled values. */
export async function compare(project: Project, names: readonly string[]): Promise<Comparison> {
  const checker = Checker.of(project.root);
  const graph = new Graph();
  const reader = new Reader(checker.checker, graph, "unknown");
  const subjects = names.map((name): Subject => {
    const file = "src/all.types.ts";
    const own = interfaceOf(name);
    return { file, name: own, type: reader.read(checker.type(file, own)), artifact: own };
  });
  const { wrong, tested, accepted } = await compareVerdicts(project.root, graph, subjects, checker);
  const all = [...wrong].flatMap(([{ name }, complaints]) =>
    complaints.map((complaint) => `${name}: ${complaint}`),
  );
  return { wrong: all, tested, accepted };
}
