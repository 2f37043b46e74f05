import { type FSWatcher, lstatSync, readdirSync, statSync, watch } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** An editor saves in several steps, and a formatter comes right after it. */
const quietMs = 12;
/** How much earlier than the clock a file system may say that a file was written: Linux counts in ticks of up to 10 ms. */
const clockMs = 10;

const ignoredNames = new Set(["node_modules", "coverage"]);
/** Editors' own files, and what nothing is built of. */
const ignoredFiles = /(?:~|\.sw[a-z]|\.tmp|\.log|\.md|\.tsbuildinfo)$|^4913$|^#.*#$/;
/** What changes nothing of how an application runs. */
const testFiles = /\.(?:test|spec)\.[cm]?[jt]s$/;

/** Which files count. */
export interface Watched {
  /** Absolute path: what is in it counts, but for directories whose name begins with a dot. */
  readonly root: string;
  /** Directories that do not, relative to the root with slashes. */
  readonly ignored: readonly string[];
  /** Whether files of tests do. */
  readonly tests: boolean;
  /** Files that count wherever they are, absolute. */
  readonly files: readonly string[];
}

/**
 * Watches a project's files: a watcher for each directory, since Node's recursive one walks through `node_modules` too; and
 * files elsewhere by the directories that they are in, since an editor may put a new file in the place of the old one.
 */
export class Watcher {
  #watched: Watched;
  readonly #onChange: (files: readonly string[]) => void;
  readonly #onFailure: (error: unknown) => void;
  /** Of directories of the project. */
  readonly #own = new Map<string, FSWatcher>();
  /** Of directories that hold files that count in spite of where they are. */
  readonly #others = new Map<string, FSWatcher>();
  #files: ReadonlySet<string> = new Set();
  /** Files that changed and did not count, since the last time that it was said which ones do. */
  readonly #passed = new Set<string>();
  /** When files that nobody edited were written. */
  readonly #written = new Map<string, number>();
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** `onChange` is told paths relative to the root with slashes. */
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

  /** Watches these in place of those before. What changed meanwhile is told: new ones were read after `began`, a time in ms. */
  update(watched: Watched, began: number): void {
    const before = this.#watched;
    const known = this.#files;
    this.#watched = watched;
    if (before.root !== watched.root || before.ignored.join("\0") !== watched.ignored.join("\0")) {
      for (const directory of this.#own.keys()) this.#leave(directory);
      this.#enter(watched.root, false);
    }
    this.#enterOthers();
    // Nobody looked at a file elsewhere while a build read it for the first time.
    for (const file of this.#files)
      if (!known.has(file) && !this.#own.has(dirname(file)) && modified(file) > began - clockMs)
        this.#mark(file);
  }

  /** As these files are now, a build has written them. */
  wrote(files: readonly string[]): void {
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

  /** Watches a directory and those in it. What is in a new one has changed. */
  #enter(directory: string, isNew: boolean): void {
    if (this.#own.has(directory)) return;
    try {
      // Watched before it is read: what comes meanwhile is told twice and not missed.
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
    // What a build reads is known after it: an edit may have come first.
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
    // A link to a directory is no directory: what is used of it is a file that counts wherever it is.
    if (isDirectory(path)) {
      this.#enter(path, true);
      return;
    }
    // A file, or nothing any more: a directory of that name, and those in it, are not watched then.
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
    }, quietMs);
  }

  #isIgnored(directory: string, name: string): boolean {
    if (ignoredNames.has(name) || ignoredFiles.test(name)) return true;
    if (!this.#watched.tests && testFiles.test(name)) return true;
    if (name.startsWith(".") && !name.startsWith(".env")) return true;
    return this.#watched.ignored.includes(this.#name(join(directory, name)));
  }

  /** What has gone again is no failure. */
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
