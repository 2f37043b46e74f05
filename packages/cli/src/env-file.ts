import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

import type { EnvFileReply } from "@kit/transform-native";

/** Variables that kit has set from the `.env` of a project in the environment of this process. Only for development. */
export class EnvFile {
  /**
   * Value of `NODE_ENV` when the command started, which decides if the file is read. A `NODE_ENV` in the file
   * itself has no effect.
   */
  readonly #environment = process.env["NODE_ENV"] || "development";
  /** Variables that this object has set, with their values. */
  readonly #own = new Map<string, string>();

  /**
   * Sets the variables in the file that have no value yet. A later call also changes and removes variables, but only variables that this
   * object has set. Does nothing if `NODE_ENV` was set to another value than `development` when the command started.
   *
   * @throws {Error} if the file exists and cannot be read.
   */
  load(root: string): EnvFileReply {
    const file = this.#environment === "development" ? read(root) : {};
    const answer = { set: [] as string[], kept: [] as string[], changed: [] as string[] };
    for (const name of this.#own.keys()) {
      if (name in file) continue;
      delete process.env[name];
      this.#own.delete(name);
      answer.changed.push(name);
    }
    for (const [name, value = ""] of Object.entries(file)) {
      if (process.env[name] !== undefined && !this.#own.has(name)) {
        if (process.env[name] !== value) answer.kept.push(name);
        continue;
      }
      if (this.#own.get(name) !== value) answer.changed.push(name);
      process.env[name] = value;
      this.#own.set(name, value);
      answer.set.push(name);
    }
    return answer;
  }
}

function read(root: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(join(root, ".env"), "utf8"));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return {};
    throw new Error(`.env cannot be read: ${message}`, { cause: error });
  }
}
