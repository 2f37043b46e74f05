/** Programs that `bench compile` measures. Each runs its complete work once, as a process that a user would start. */
import { execFileSync } from "node:child_process";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { installPeers, peerVersions } from "../peers.ts";
import * as typia from "./typia.ts";

export const app: string = join(import.meta.dirname, "app");
const peers = join(import.meta.dirname, "peers");
const repository = join(import.meta.dirname, "../..");

/** Program that is measured. */
export interface Subject {
  readonly name: string;
  readonly args: readonly string[];
  /** Content of `kit.config.js` for this subject. Absent if there is no such file. */
  readonly config?: string;
  /** Removes the output of the last run, so that the next run starts from scratch. */
  forget(): void;
  /** Fails if the output of the last run is wrong. The parameter is true if a constraint was edited before that run. */
  check?(edited: boolean): Promise<void>;
}

let aside = 0;

/**
 * Moves the output of kit away; {@link clean} removes it at the end. After the removal of thousands of files, a file system may create
 * files slowly for several seconds.
 */
function forgetKit(): void {
  const output = join(app, ".kit");
  if (existsSync(output)) renameSync(output, join(app, `.kit-${(aside += 1)}`));
}

/** Removes the outputs that were moved away. */
export function clean(): void {
  for (let number = 1; number <= aside; number += 1)
    rmSync(join(app, `.kit-${number}`), { recursive: true, force: true });
  aside = 0;
  rmSync(join(app, "kit.config.js"), { force: true });
}

const information = join(app, "incremental.tsbuildinfo");
const incremental = ["-p", ".", "--incremental", "--tsBuildInfoFile", information];
const generator = "node_modules/ts-json-schema-generator/bin/ts-json-schema-generator.js";

const build = [join(repository, "packages/cli/bin/kit.js"), "build", "--json"];

/** Returns the source of a configuration with a plugin that registers the function `tap` for every hook. */
const plugged = (tap: string): string => `
const hooks = {};
for (const hook of ["beforeTransform", "afterTypeParse", "afterValidators", "afterRouteTable", "emit", "compile", "done"])
  hooks[hook] = ${tap};
export default { plugins: [{ name: "plugged", hooks }] };
`;

/** Name of the subject without plugins, which the subjects with plugins are compared with. */
export const unplugged = "kit-config";

export const subjects: readonly Subject[] = [
  { name: "kit", args: build, forget: forgetKit },
  // These subjects measure the cost of plugin hooks: no plugins, hook functions that do nothing, and hook functions that read all
  // of their input.
  { name: unplugged, args: build, config: "export default { plugins: [] };\n", forget: forgetKit },
  { name: "kit-idle-taps", args: build, config: plugged("() => {}"), forget: forgetKit },
  {
    name: "kit-reading-taps",
    args: build,
    config: plugged("(event) => void Object.values(event)"),
    forget: forgetKit,
  },
  {
    name: "tsc",
    args: [join(repository, "node_modules/typescript/bin/tsc"), ...incremental],
    forget: () => rmSync(information, { force: true }),
  },
  {
    name: "tsc-5.9",
    args: [join(peers, "node_modules/typescript/bin/tsc"), ...incremental],
    forget: () => rmSync(information, { force: true }),
  },
  {
    name: "ts-json-schema-generator",
    args: [
      join(peers, generator),
      "--path",
      "src/**/*.types.ts",
      "--type",
      "*",
      "--tsconfig",
      "tsconfig.json",
      "--no-type-check",
      "--out",
      join(app, "schema.tsbuildinfo"),
    ],
    forget: () => undefined,
  },
  { name: "typia", args: typia.generate, forget: typia.forget, check: typia.check },
];

/** Runs a subject. Returns the milliseconds from the start to the exit of its process. */
export function run(subject: Subject): number {
  const config = join(app, "kit.config.js");
  if (subject.config === undefined) rmSync(config, { force: true });
  else writeFileSync(config, subject.config);
  const start = performance.now();
  execFileSync(process.execPath, subject.args, { cwd: app, stdio: ["ignore", "ignore", "inherit"] });
  return performance.now() - start;
}

/** Installs the programs that kit is compared with, if they are missing. */
export function install(): void {
  installPeers(peers);
}

/** Returns the versions of the programs that kit is compared with. */
export function versions(): Readonly<Record<string, string>> {
  return peerVersions(peers);
}
