// Programs of others that the cluster needs.

import { spawnSync } from "node:child_process";

import { bouncerProgram } from "../../database/support/bouncer.ts";

/** Packages of Debian with the programs that are not in this repository. */
const packages = { haproxy: "haproxy", pgbouncer: "pgbouncer", valkey: "redis-server" } as const;

/** Paths of the programs. */
export interface Programs {
  readonly haproxy: string;
  readonly pgbouncer: string;
  /** Valkey, or Redis where Valkey is not packaged. */
  readonly valkey: string;
}

/** Returns the path of the first program that exists. `flag` makes it print its version. */
function find(flag: string, ...names: readonly string[]): string | undefined {
  // Debian installs servers in a directory that is in `PATH` for root only.
  const paths = names.flatMap((name) => [name, `/usr/sbin/${name}`]);
  return paths.find((path) => spawnSync(path, [flag], { stdio: "ignore" }).status === 0);
}

/** Finds the programs. Throws an error that names all missing packages. */
export function findPrograms(): Programs {
  const found = {
    haproxy: find("-v", "haproxy"),
    pgbouncer: bouncerProgram,
    valkey: find("--version", "valkey-server", "redis-server"),
  };
  const missing = Object.entries(found).flatMap(([name, path]) =>
    path === undefined ? [packages[name as keyof typeof packages]] : [],
  );
  if (missing.length > 0)
    throw new Error(`Install these programs first: apt-get install ${missing.join(" ")}`);
  return found as Programs;
}
