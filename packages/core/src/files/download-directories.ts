import { realpath } from "node:fs/promises";
import { resolve } from "node:path";

import { isInside } from "./is-inside.ts";

/** Maximum number of directories whose paths are kept. An application has few, unless it makes them from data. */
const mostKept = 256;

/** Directories of the downloads of a route. The target of a directory at its first use is used until the end. */
export class DownloadDirectories {
  readonly #projectRoot: string;
  readonly #roots = new Map<string, string>();

  constructor(projectRoot: string) {
    this.#projectRoot = projectRoot;
  }

  /** Returns the path without symbolic links if the directory was used before. */
  known(dir: string): string | undefined {
    return this.#roots.get(dir);
  }

  /**
   * Returns the absolute path of a directory without symbolic links.
   *
   * @throws {Error} If the directory does not exist, or if it contains the project.
   */
  async find(dir: string): Promise<string> {
    const path = resolve(this.#projectRoot, dir);
    let root: string;
    try {
      root = await realpath(path);
    } catch (cause) {
      throw new Error(
        `download: there is no directory ${path}. Create it, or correct \`dir\`, which begins at the project's root (${this.#projectRoot})`,
        { cause },
      );
    }
    if (isInside(root, await realpath(this.#projectRoot))) {
      throw new Error(
        `download: the directory ${root} contains the project, so clients could read its sources. Put the files into a directory of their own, such as "reports"`,
      );
    }
    if (this.#roots.size >= mostKept) this.#roots.clear();
    this.#roots.set(dir, root);
    return root;
  }
}
