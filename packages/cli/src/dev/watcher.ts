import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join, relative, sep } from "node:path";

/** An editor saves in several steps, and a formatter comes right after it. */
const quietMs = 12;

const ignoredNames = new Set(["node_modules", "coverage"]);
/** Editors' own files, and what changes nothing of how an application runs. */
const ignoredFiles = /(?:~|\.sw[a-z]|\.tmp|\.log|\.md|\.(?:test|spec)\.[cm]?[jt]s)$|^4913$|^#.*#$/;

/**
 * Watches a project's files: a watcher for each directory, since Node's recursive one walks through `node_modules` too.
 * Directories whose name begins with a dot are left out.
 */
export class Watcher {
  readonly #root: string;
  readonly #ignored: ReadonlySet<string>;
  readonly #onChange: (files: readonly string[]) => void;
  readonly #onFailure: (error: unknown) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** `ignored` are directories, `onChange` is told paths; all relative to the root with slashes. */
  constructor(
    root: string,
    ignored: readonly string[],
    onChange: (files: readonly string[]) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.#root = root;
    this.#ignored = new Set(ignored);
    this.#onChange = onChange;
    this.#onFailure = onFailure;
    this.#enter(root, false);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Watches a directory and those in it. What is in a new one has changed. */
  #enter(directory: string, isNew: boolean): void {
    if (this.#watchers.has(directory)) return;
    try {
      // Watched before it is read: what comes meanwhile is told twice and not missed.
      const watcher = watch(directory, (_event, name) => this.#notice(directory, name));
      watcher.on("error", () => this.#leave(directory));
      this.#watchers.set(directory, watcher);
      for (const entry of readdirSync(directory, { withFileTypes: true })) {
        if (this.#isIgnored(directory, entry.name)) continue;
        if (entry.isDirectory()) this.#enter(join(directory, entry.name), isNew);
        else if (isNew) this.#mark(join(directory, entry.name));
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      this.#leave(directory);
      // It has gone again.
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#onFailure(error);
    }
  }

  #leave(directory: string): void {
    this.#watchers.get(directory)?.close();
    this.#watchers.delete(directory);
  }

  #notice(directory: string, name: string | null): void {
    if (name === null || this.#isIgnored(directory, name)) return;
    const path = join(directory, name);
    try {
      readdirSync(path);
      this.#enter(path, true);
    } catch {
      // A file, or nothing any more: a directory of that name, and those in it, are not watched then.
      for (const watched of this.#watchers.keys())
        if (watched === path || watched.startsWith(path + sep)) this.#leave(watched);
      this.#mark(path);
    }
  }

  #mark(path: string): void {
    this.#changed.add(this.#name(path));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const files = [...this.#changed].toSorted();
      this.#changed.clear();
      this.#onChange(files);
    }, quietMs);
  }

  #isIgnored(directory: string, name: string): boolean {
    if (ignoredNames.has(name) || ignoredFiles.test(name)) return true;
    if (name.startsWith(".") && !name.startsWith(".env")) return true;
    return this.#ignored.has(this.#name(join(directory, name)));
  }

  #name(path: string): string {
    return relative(this.#root, path).split(sep).join("/");
  }
}
