import { cp, mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { Contracts, ContractTests, RouteTable } from "@kit/testing";

import { repository } from "../e2e/support/project.ts";

/** Golden files of three applications, which together contain every kind of type. */
export const GOLDENS = ["notes", "kitchen-sink", "directions"] as const;

/** Copies the golden files of kit-emit to a directory in the repository, because their imports find packages only there. */
export async function copiedGoldens(): Promise<string> {
  await mkdir(join(repository, "target"), { recursive: true });
  const root = await mkdtemp(join(repository, "target/goldens-"));
  await cp(join(repository, "crates/kit-emit/tests/goldens"), root, { recursive: true });
  return root;
}

/** Returns the rows of all contract tests in an output directory. Writes a file to the directory. */
export async function tablesIn(directory: string): Promise<RouteTable[]> {
  const found: RouteTable[] = [];
  Object.assign(globalThis, {
    collectContractTests: (tests: ContractTests) => found.push(...tests.routes),
  });
  const tests = join(directory, "tests");
  for (const name of await readdir(tests)) {
    if (!name.endsWith(".contract.test.ts")) continue;
    const text = await readFile(join(tests, name), "utf8");
    const collected = join(tests, name.replace(".contract.test.ts", ".collected.ts"));
    await writeFile(
      collected,
      text.replace("\ncontractTests({", "\n(globalThis as any).collectContractTests({"),
    );
    await import(pathToFileURL(collected).href);
  }
  return found;
}

/** Returns the contracts of an output directory. */
export async function contractsIn(directory: string): Promise<Contracts> {
  const module = (await import(pathToFileURL(join(directory, "tests/contracts.ts")).href)) as {
    default: Contracts;
  };
  return module.default;
}
