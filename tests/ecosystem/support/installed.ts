// Projects with packages of others, which `install.ts` installs.

import { existsSync } from "node:fs";
import { mkdir, readdir, symlink, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Project, repository } from "../../e2e/support/project.ts";

/** Directory in which `install.ts` installs the packages. */
export const ecosystem: string = join(repository, "target/ecosystem");

/** Returns the reason why a test with a package is skipped; `false` if the package is installed. */
export function missing(...packages: readonly string[]): string | false {
  const absent = packages.filter(
    (name) => !existsSync(join(ecosystem, "node_modules", name, "package.json")),
  );
  return absent.length > 0 && `${absent.join(", ")}: run \`node tests/ecosystem/install.ts\``;
}

/** Creates a project in which the packages of the ecosystem, kit and TypeScript are installed. */
export async function ecosystemProject(files: Readonly<Record<string, string>>): Promise<Project> {
  const manifest = { name: "ecosystem", private: true, type: "module" };
  const project = await Project.of(
    new Map(Object.entries({ "package.json": JSON.stringify(manifest), ...files })),
  );
  const modules = join(project.root, "node_modules");
  await unlink(modules);
  for (const name of await packagesIn(join(ecosystem, "node_modules")))
    await link(join(ecosystem, "node_modules", name), join(modules, name));
  for (const name of await packagesIn(join(repository, "node_modules/@kit")))
    await link(join(repository, "node_modules/@kit", name), join(modules, "@kit", name));
  await link(join(repository, "node_modules/typescript"), join(modules, "typescript"));
  return project;
}

async function packagesIn(directory: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await readdir(directory)) {
    if (name.startsWith(".") || name === "typescript") continue;
    if (name.startsWith("@"))
      names.push(...(await readdir(join(directory, name))).map((inner) => `${name}/${inner}`));
    else names.push(name);
  }
  return names;
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}

/** Writes a file of a project. */
export async function write(project: Project, path: string, text: string): Promise<void> {
  const file = join(project.root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
