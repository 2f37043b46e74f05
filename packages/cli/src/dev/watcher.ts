import { type FSWatcher, lstatSync, readdirSync, statSync, watch } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/**
 * Time without a change after which changes are reported, in milliseconds. An editor saves a file in several steps, and a formatter may
 * change it again.
 */
const debounceMs = 12;
/** Maximum time by which the modification time of a file is too early, in milliseconds. Linux rounds it down to ticks of up to 10 ms. */
const clockMs = 10;

const ignoredNames = new Set(["node_modules", "coverage"]);
/** Matches temporary files of editors, and other files that no build reads. */
const ignoredFiles = /(?:~|\.sw[a-z]|\.tmp|\.log|\.md|\.tsbuildinfo)$|^4913$|^#.*#$/;
/** Matches tests, which do not affect how an application runs. */
const testFiles = /\.(?:test|spec)\.[cm]?[jt]s$/;

/** Selection of the files to watch. */
export interface Watched {
  /** Absolute path of the project. Everything in it is watched, except directories whose name begins with a dot. */
  readonly root: string;
  /** Directories that are not watched, relative to the root with slashes. */
  readonly ignored: readonly string[];
  /** True if changes of test files are reported. */
  readonly tests: boolean;
  /** Absolute paths of further files to watch, in any directory. */
  readonly files: readonly string[];
}

/**
 * Watches the files of a project. Each directory has its own watcher, because Node's recursive watcher would also watch `node_modules`.
 * For a file outside of the project, watches the file's directory, because an editor may replace the file with a new file.
 */
export class Watcher {
  #watched: Watched;
  readonly #onChange: (files: readonly string[]) => void;
  readonly #onFailure: (error: unknown) => void;
  /** Watchers of the project's directories. */
  readonly #own = new Map<string, FSWatcher>();
  /** Watchers of directories outside of the project that contain watched files. */
  readonly #others = new Map<string, FSWatcher>();
  #files: ReadonlySet<string> = new Set();
  /**
   * Files that changed since the last call of `update` although they were not watched. A build may have read
   * one of them for the first time.
   */
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
   * Replaces the set of watched files. A file that is watched for the first time is reported if it was edited after `began`, a time in
   * milliseconds: the build that began then may have read the content from before the edit.
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
    // Files outside of the project were not watched while a build read them for the first time.
    for (const file of this.#files)
      if (!known.has(file) && !this.#own.has(dirname(file)) && modified(file) > began - clockMs)
        this.#mark(file);
  }

  /** Remembers the files that a build has written, so that the watcher does not report this change. */
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

  /** Watches a directory and its subdirectories. If the directory is new, its files are reported as changes. */
  #enter(directory: string, isNew: boolean): void {
    if (this.#own.has(directory)) return;
    try {
      // The directory is watched before it is read. A change in between may be reported twice, but is not missed.
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
    // The files that a build reads are known only after the build, so they may have been edited before.
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
    // Links to directories are not watched. Files that are used through such a link are in `files`.
    if (isDirectory(path)) {
      this.#enter(path, true);
      return;
    }
    // The path is a file or has been removed. If it was a directory, its watcher and those of its subdirectories are closed.
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
    // The build writes `.env.example`.
    if (name === ".env.example" || (name.startsWith(".") && !name.startsWith(".env"))) return true;
    return this.#watched.ignored.includes(this.#name(join(directory, name)));
  }

  /** Reports an error of a watcher. Does nothing if the watched file or directory no longer exists. */
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
