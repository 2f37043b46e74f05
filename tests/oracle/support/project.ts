// Copies the fixtures to a project that both TypeScript and kit can read.

import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../e2e/support/command.ts";
import { repository } from "../../e2e/support/project.ts";
import type { IrDocument, Exported } from "./ir.ts";

/** Maximum duration of a build in milliseconds. It includes the time to compile the compiler itself. */
const PATIENCE_MS = 900_000;

const fixtures = join(repository, "tests/oracle/fixtures");

/** Copy of the fixtures in a separate directory. kit may write to it, and packages are installed in it. */
export class Fixtures {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** Copies the fixtures. `packages/` becomes `node_modules/`, because git would ignore a directory of that name. */
  static async copy(): Promise<Fixtures> {
    const root = await mkdtemp(join(await realpath(tmpdir()), "kit-oracle-"));
    await cp(fixtures, root, { recursive: true });
    const modules = join(root, "node_modules");
    await cp(join(fixtures, "packages"), modules, { recursive: true });
    await rm(join(root, "packages"), { recursive: true });
    await mkdir(modules, { recursive: true });
    await symlink(join(repository, "node_modules/@kit"), join(modules, "@kit"));
    return new Fixtures(root);
  }

  /** Creates a project with files of the given texts in `types/`. */
  static async of(texts: ReadonlyMap<string, string>): Promise<Fixtures> {
    const root = await mkdtemp(join(await realpath(tmpdir()), "kit-oracle-"));
    for (const name of ["package.json", "tsconfig.json"]) await cp(join(fixtures, name), join(root, name));
    await mkdir(join(root, "types"));
    for (const [name, text] of texts) await writeFile(join(root, "types", name), text);
    await mkdir(join(root, "node_modules"));
    await symlink(join(repository, "node_modules/@kit"), join(root, "node_modules/@kit"));
    return new Fixtures(root);
  }

  /** Returns the files whose types are compared, sorted by path. */
  async files(): Promise<string[]> {
    const names = await readdir(join(this.root, "types"));
    return names.toSorted().map((name) => `types/${name}`);
  }

  /** Builds the project as `kit build` does. Returns the types as kit interprets them. */
  async build(types: readonly Exported[]): Promise<IrDocument> {
    const list = join(this.root, "types.json");
    await writeFile(list, JSON.stringify(types));
    // `cargo xtask test` has built the example and names its path.
    const built = process.env["KIT_PRINT_IR"];
    const cargo = ["run", "--quiet", "--locked", "-p", "kit-build", "--example", "print_ir", "--"];
    const [program, options] = built === undefined ? ["cargo", cargo] : [built, []];
    const result = await run(program, [...options, this.root, list], {
      cwd: repository,
      timeout: PATIENCE_MS,
    });
    if (result.code !== 0) throw new Error(`print_ir failed:\n${result.stderr}`);
    return JSON.parse(result.stdout) as IrDocument;
  }

  /** Deletes the copy. */
  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}
