import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { repository } from "../e2e/support/project.ts";

/** Programs of a PyPI package in a virtual environment below `target/`. */
export class PythonPackage {
  readonly #name: string;
  readonly #version: string;
  /** Extra of the package, such as `server` of `moto[server]`. */
  readonly #extra: string | undefined;
  /** Directory that contains the programs. */
  readonly bin: string;

  constructor(name: string, version: string, extra?: string) {
    this.#name = name;
    this.#version = version;
    this.#extra = extra;
    this.bin = join(repository, `target/${name}-${version}/bin`);
  }

  /** Installs the package once. If that is not possible, returns the reason. */
  install(): string | undefined {
    const installed = join(this.bin, "..", "installed");
    if (existsSync(installed)) return undefined;
    const extra = this.#extra === undefined ? "" : `[${this.#extra}]`;
    const steps = [
      ["python3", ["-m", "venv", "--clear", join(this.bin, "..")]],
      [
        join(this.bin, "pip"),
        ["install", "--quiet", "--disable-pip-version-check", `${this.#name}${extra}==${this.#version}`],
      ],
    ] as const;
    for (const [command, args] of steps) {
      const { status, error, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 300_000 });
      if (status !== 0) {
        const why = error?.message ?? stderr.trim().split("\n").at(-1);
        return `${this.#name} ${this.#version} cannot be installed with python3 and pip: ${why}`;
      }
    }
    writeFileSync(installed, "");
    return undefined;
  }
}
