/** What is measured: each subject does its whole work once, as a process that a user would start. */
import { execFileSync } from "node:child_process";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { installPeers, peerVersions } from "../peers.ts";

export const app: string = join(import.meta.dirname, "app");
const peers = join(import.meta.dirname, "peers");
const repository = join(import.meta.dirname, "../..");

/** Something that reads the project. */
export interface Subject {
  readonly name: string;
  readonly args: readonly string[];
  /** What the project's `kit.config.js` holds, where it has one. */
  readonly config?: string;
  /** Forgets what it made, so that the next run is a first one. */
  forget(): void;
}

let aside = 0;

/** Moved away and removed at the end: a file system may make files slowly for seconds after it removed thousands. */
function forgetKit(): void {
  const output = join(app, ".kit");
  if (existsSync(output)) renameSync(output, join(app, `.kit-${(aside += 1)}`));
}

/** Removes what was moved away. */
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

/** A plugin with a tap on every hook. */
const plugged = (tap: string): string => `
const hooks = {};
for (const hook of ["beforeTransform", "afterTypeParse", "afterValidators", "afterRouteTable", "emit", "compile", "done"])
  hooks[hook] = ${tap};
export default { plugins: [{ name: "plugged", hooks }] };
`;

/** What a configuration with plugins is held against. */
export const unplugged = "kit-config";

export const subjects: readonly Subject[] = [
  { name: "kit", args: build, forget: forgetKit },
  // What hooks cost: a configuration without plugins, taps that do nothing, and taps that look at all they get.
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
];

/** Runs a subject and says how long it took, from start to end of its process. */
export function run(subject: Subject): number {
  const config = join(app, "kit.config.js");
  if (subject.config === undefined) rmSync(config, { force: true });
  else writeFileSync(config, subject.config);
  const start = performance.now();
  execFileSync(process.execPath, subject.args, { cwd: app, stdio: ["ignore", "ignore", "inherit"] });
  return performance.now() - start;
}

/** Installs the peers where they are missing. */
export function install(): void {
  installPeers(peers);
}

/** The versions of the peers. */
export function versions(): Readonly<Record<string, string>> {
  return peerVersions(peers);
}
