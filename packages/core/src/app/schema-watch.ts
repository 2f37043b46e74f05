import { type FSWatcher, watch } from "node:fs";
import { basename, sep } from "node:path";

/** Changes that a build made in `.kit/` while the application runs. */
export interface SchemaChange {
  /** Absolute path of `.kit/`. */
  readonly directory: string;
  /** Files that were written or removed, relative to `directory`, with slashes, sorted by name. */
  readonly files: readonly string[];
  /** Names of the types with a changed validator, coercer or serializer. */
  readonly types: readonly string[];
  /** True if the routes changed. */
  readonly routes: boolean;
}

/**
 * Milliseconds without a change after which changes are reported. A build writes many files, and its changes are
 * reported together.
 */
const quietMs = 100;

const typeFile = /^(?:validators|coercers|serializers)\/([^/]+)\.(?:validator|coercer|serializer)\.[jt]s$/;

/**
 * Watches `.kit/` and calls `onChange` after a build changed files in it. A build does not write unchanged files. The
 * watcher does not keep the process alive. Returns a function that stops the watcher.
 */
export function watchSchema(
  directory: string,
  onChange: (change: SchemaChange) => void,
  onFailure: (error: unknown) => void,
): () => void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    const files = [...changed].toSorted();
    changed.clear();
    onChange({ directory, files, types: typesOf(files), routes: files.some(isOfRoutes) });
  };
  let watcher: FSWatcher;
  try {
    watcher = watch(directory, { recursive: true, persistent: false }, (_event, name) => {
      const file = name?.split(sep).join("/");
      // Ignores directories, and files of kit itself: names that start with a dot, and everything below them.
      if (file === undefined || !basename(file).includes(".") || /(?:^|\/)\./.test(file)) return;
      changed.add(file);
      clearTimeout(timer);
      timer = setTimeout(tell, quietMs).unref();
    });
  } catch (error) {
    onFailure(error);
    return () => undefined;
  }
  watcher.on("error", onFailure);
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

function typesOf(files: readonly string[]): string[] {
  return [...new Set(files.flatMap((file) => typeFile.exec(file)?.[1] ?? []))].toSorted();
}

function isOfRoutes(file: string): boolean {
  return file === "routes.json" || file.startsWith("routes/");
}
