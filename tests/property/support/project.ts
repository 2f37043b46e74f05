// Builds a project of tested types with the program `kit`.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { CompiledApplication } from "@kit/types";

import { Project } from "../../e2e/support/project.ts";
import type { Subject } from "./model.ts";
import { source } from "./source.ts";

/** Functions that kit has generated for a type. */
export interface Artifacts {
  readonly validator: {
    readonly is: (value: unknown) => boolean;
    readonly failures: (value: unknown) => readonly { readonly path: string }[];
    readonly decode: (value: unknown) => unknown;
  };
  readonly serializer: { readonly serialize: (value: unknown) => string };
}

/** Maximum number of tested types in a project. */
const maxSubjects = 100;

/** Number of other types in every second project. The generated code of a project of more than 500 types is smaller. */
const otherTypes = 501;

/** Builds the types, many together. Returns the artifacts of each, or kit's error message if kit refuses the type. */
export async function build(subjects: readonly Subject[]): Promise<Map<Subject, Artifacts | string>> {
  const found = new Map<Subject, Artifacts | string>();
  for (let at = 0; at < subjects.length; at += maxSubjects)
    await buildProject(subjects.slice(at, at + maxSubjects), (at / maxSubjects) % 2 === 1, found);
  return found;
}

async function buildProject(
  subjects: readonly Subject[],
  isLarge: boolean,
  found: Map<Subject, Artifacts | string>,
): Promise<void> {
  let left = subjects;
  while (left.length > 0) {
    const project = await Project.of(files(left, isLarge));
    try {
      const { code, stdout, stderr } = await project.kit(["build", "--json"], { timeout: 300_000 });
      if (code === 0) {
        for (const subject of left) found.set(subject, await load(project.root, subject.name));
        break;
      }
      const refused = left.filter(({ name }) => stdout.includes(`/${name}.types.ts`));
      if (refused.length === 0) throw new Error(`kit build failed:\n${stdout}${stderr}`);
      for (const subject of refused) found.set(subject, `builds nothing: ${said(stdout, subject.name)}`);
      left = left.filter((subject) => !refused.includes(subject));
    } finally {
      await project.remove();
    }
  }
}

/** Returns the files of a project whose routes use the types. A large project has more than 500 other types. */
export function files(subjects: readonly Subject[], isLarge = false): Map<string, string> {
  const sources = subjects.map((subject): [string, string] => [
    `src/${subject.name}.types.ts`,
    source(subject),
  ]);
  if (isLarge) {
    const others = Array.from({ length: otherTypes }, (_, index) => `export type Other${index} = string;\n`);
    sources.push(["src/other.types.ts", others.join("")]);
  }
  return new Map([
    ["package.json", JSON.stringify({ name: "property", private: true, type: "module" })],
    ["src/all.routes.ts", routes(subjects)],
    ...sources,
  ]);
}

/** Returns the source of a route for each type, because applications load only the types of routes. */
function routes(subjects: readonly Subject[]): string {
  const imports = subjects.map(({ name }) => `import type { ${name} } from "./${name}.types.ts";`);
  const contracts = subjects.map(
    ({ name }) => `  "PUT /${name}": RouteContract<void, void, ${name}, ${name}>;`,
  );
  return [
    'import type { RouteContract } from "@kit/types";',
    ...imports,
    "export interface AllRoutes {",
    ...contracts,
    "}\n",
  ].join("\n");
}

/** Loads the generated functions of a type from a built project. */
export async function load(root: string, name: string): Promise<Artifacts> {
  const exports = async (file: string): Promise<Readonly<Record<string, unknown>>> =>
    (await import(pathToFileURL(join(root, ".kit", file)).href)) as Record<string, unknown>;
  const all = await exports("codecs.js");
  const validator = all[`${name}Validator`];
  // A large project has no serializer of an alias such as `type Text = string`, only that of the response.
  const serializer = all[`${name}Serializer`] ?? (await responseOf(root, name));
  if (validator === undefined || serializer === undefined)
    throw new Error(`${name} lacks generated functions`);
  return { validator, serializer } as Artifacts;
}

/** Returns the serializer of the response of a type's route. */
async function responseOf(root: string, name: string): Promise<unknown> {
  const path = join(root, ".kit/routes/index.ts");
  const module = (await import(pathToFileURL(path).href)) as { default: CompiledApplication };
  return module.default.routes.find(({ ref }) => ref === `PUT /${name}`)?.response ?? undefined;
}

/** Returns the error message about one type in the output of a build. */
function said(output: string, name: string): string {
  const { failures } = JSON.parse(output) as {
    failures: readonly { path?: string; line?: number; message: string }[];
  };
  const own = failures.filter(({ path }) => path === `src/${name}.types.ts`);
  return own.map(({ line, message }) => `line ${line}: ${message}`).join("; ");
}
