import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { repository } from "../e2e/support/project.ts";

/** Programs of a PyPI package in a virtual environment below `target/`. */
export class PythonPackage {
  readonly #name: string;
  readonly #version: string;
  /** Directory that contains the programs. */
  readonly bin: string;

  constructor(name: string, version: string) {
    this.#name = name;
    this.#version = version;
    this.bin = join(repository, `target/${name}-${version}/bin`);
  }

  /** Installs the package once. If that is not possible, returns the reason. */
  install(): string | undefined {
    if (existsSync(join(this.bin, this.#name))) return undefined;
    const steps = [
      ["python3", ["-m", "venv", "--clear", join(this.bin, "..")]],
      [
        join(this.bin, "pip"),
        ["install", "--quiet", "--disable-pip-version-check", `${this.#name}==${this.#version}`],
      ],
    ] as const;
    for (const [command, args] of steps) {
      const { status, error, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 300_000 });
      if (status !== 0) {
        const why = error?.message ?? stderr.trim().split("\n").at(-1);
        return `${this.#name} ${this.#version} cannot be installed with python3 and pip: ${why}`;
      }
    }
    return undefined;
  }
}
