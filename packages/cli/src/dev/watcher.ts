import { type FSWatcher, lstatSync, readdirSync, statSync, watch } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** Milliseconds without a change before changes are reported. An editor saves in several steps, and a formatter may follow. */
const debounceMs = 12;
/** Maximum number of milliseconds by which a modification time is too early: Linux uses ticks of up to 10 ms. */
const clockMs = 10;

const ignoredNames = new Set(["node_modules", "coverage"]);
/** Matches temporary files of editors, and files that no build reads. */
const ignoredFiles = /(?:~|\.sw[a-z]|\.tmp|\.log|\.md|\.tsbuildinfo)$|^4913$|^#.*#$/;
/** Matches tests, which do not affect how an application runs. */
const testFiles = /\.(?:test|spec)\.[cm]?[jt]s$/;

/** Files that are watched. */
export interface Watched {
  /** Absolute path of the project. Everything in it is watched, except directories whose name begins with a dot. */
  readonly root: string;
  /** Directories that are not watched, relative to the root with slashes. */
  readonly ignored: readonly string[];
  /** True if test files are watched. */
  readonly tests: boolean;
  /** Absolute paths of files that are watched in any directory. */
  readonly files: readonly string[];
}

/**
 * Watches a project's files. Uses a watcher for each directory, because Node's recursive watcher also walks through `node_modules`. For
 * files elsewhere, watches their directories, because an editor may replace a file by a new one.
 */
export class Watcher {
  #watched: Watched;
  readonly #onChange: (files: readonly string[]) => void;
  readonly #onFailure: (error: unknown) => void;
  /** Watchers of the project's directories. */
  readonly #own = new Map<string, FSWatcher>();
  /** Watchers of the other directories that contain watched files. */
  readonly #others = new Map<string, FSWatcher>();
  #files: ReadonlySet<string> = new Set();
  /** Files that changed without being watched, since the last call of `update`. */
  readonly #passed = new Set<string>();
  /** Modification times of files that a build has written. */
  readonly #written = new Map<string, number>();
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** Creates a watcher. `onChange` gets paths relative to the root, with slashes. */
  constructor(
    watched: Watched,
    onChange: (files: readonly string[]) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.#watched = watched;
    this.#onChange = onChange;
    this.#onFailure = onFailure;
    this.#enter(watched.root, false);
    this.#enterOthers();
  }

  /**
   * Replaces the watched files. Reports files that changed since `began` (a time in ms), because a build read them for the first time then.
   */
  update(watched: Watched, began: number): void {
    const before = this.#watched;
    const known = this.#files;
    this.#watched = watched;
    if (before.root !== watched.root || before.ignored.join("\0") !== watched.ignored.join("\0")) {
      for (const directory of this.#own.keys()) this.#leave(directory);
      this.#enter(watched.root, false);
    }
    this.#enterOthers();
    // Files elsewhere were not watched while a build read them for the first time.
    for (const file of this.#files)
      if (!known.has(file) && !this.#own.has(dirname(file)) && modified(file) > began - clockMs)
        this.#mark(file);
  }

  /** Records files that a build has written, so that they are not reported as changes. */
  ignoreWritten(files: readonly string[]): void {
    for (const file of files) {
      this.#written.set(file, modified(file));
      this.#changed.delete(this.#name(file));
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of [...this.#own.values(), ...this.#others.values()]) watcher.close();
    this.#own.clear();
    this.#others.clear();
  }

  /** Watches a directory and its subdirectories. Files in a new directory are reported as changes. */
  #enter(directory: string, isNew: boolean): void {
    if (this.#own.has(directory)) return;
    try {
      // Watched before it is read: a change in between is reported twice, and not missed.
      const watcher = watch(directory, (_event, name) => this.#notice(directory, name));
      watcher.on("error", () => this.#leave(directory));
      this.#own.set(directory, watcher);
      for (const entry of readdirSync(directory, { withFileTypes: true })) {
        if (this.#isIgnored(directory, entry.name)) continue;
        if (entry.isDirectory()) this.#enter(join(directory, entry.name), isNew);
        else if (isNew) this.#mark(join(directory, entry.name));
      }
    } catch (error) {
      this.#leave(directory);
      this.#fail(error);
    }
  }

  #leave(directory: string): void {
    this.#own.get(directory)?.close();
    this.#own.delete(directory);
  }

  #enterOthers(): void {
    const { root, ignored, tests, files } = this.#watched;
    const isBuilt = (file: string): boolean =>
      ignored.some((directory) => file.startsWith(join(root, directory) + sep));
    this.#files = new Set(files.filter((file) => !isBuilt(file) && (tests || !testFiles.test(file))));
    // The files that a build reads are known after the build, so an edit may have come before.
    for (const path of this.#passed) if (this.#files.has(path)) this.#mark(path);
    this.#passed.clear();
    const needed = new Set([...this.#files].map(dirname).filter((directory) => !this.#own.has(directory)));
    for (const [directory, watcher] of this.#others) {
      if (needed.has(directory)) continue;
      watcher.close();
      this.#others.delete(directory);
    }
    for (const directory of needed) {
      if (this.#others.has(directory)) continue;
      try {
        const watcher = watch(directory, (_event, name) => {
          if (name !== null && this.#files.has(join(directory, name))) this.#mark(join(directory, name));
        });
        watcher.on("error", () => {
          watcher.close();
          this.#others.delete(directory);
        });
        this.#others.set(directory, watcher);
      } catch (error) {
        this.#fail(error);
      }
    }
  }

  #notice(directory: string, name: string | null): void {
    if (name === null) return;
    const path = join(directory, name);
    if (this.#isIgnored(directory, name)) {
      if (this.#files.has(path)) this.#mark(path);
      else this.#passed.add(path);
      return;
    }
    // A link to a directory is not entered. Files that are used through a link are in `files`.
    if (isDirectory(path)) {
      this.#enter(path, true);
      return;
    }
    // The path is a file, or was removed. A removed directory and its subdirectories are no longer watched.
    for (const watched of this.#own.keys())
      if (watched === path || watched.startsWith(path + sep)) this.#leave(watched);
    this.#mark(path);
  }

  #mark(path: string): void {
    const written = this.#written.get(path);
    if (written !== undefined) {
      if (written === modified(path)) return;
      this.#written.delete(path);
    }
    this.#changed.add(this.#name(path));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const files = [...this.#changed].toSorted();
      this.#changed.clear();
      if (files.length > 0) this.#onChange(files);
    }, debounceMs);
  }

  #isIgnored(directory: string, name: string): boolean {
    if (ignoredNames.has(name) || ignoredFiles.test(name)) return true;
    if (!this.#watched.tests && testFiles.test(name)) return true;
    if (name.startsWith(".") && !name.startsWith(".env")) return true;
    return this.#watched.ignored.includes(this.#name(join(directory, name)));
  }

  /** Reports a failure, unless the file or directory has been removed in the meantime. */
  #fail(error: unknown): void {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") this.#onFailure(error);
  }

  #name(path: string): string {
    return relative(this.#watched.root, path).split(sep).join("/");
  }
}

function isDirectory(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

function modified(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
