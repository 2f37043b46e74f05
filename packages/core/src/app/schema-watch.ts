import { type FSWatcher, watch } from "node:fs";
import { basename, sep } from "node:path";

/** What a build changed in `.kit/` while the application ran. */
export interface SchemaChange {
  /** The absolute path of `.kit/`. */
  readonly directory: string;
  /** Files that were written or removed, relative to it, with slashes, in order of their names. */
  readonly files: readonly string[];
  /** Names of the types whose validator, coercer or serializer is another one now. */
  readonly types: readonly string[];
  /** Whether the routes are other ones now. */
  readonly routes: boolean;
}

/** A build writes many files; its changes are told together, this long after the last of them. */
const quietMs = 100;

const typeFile = /^(?:validators|coercers|serializers)\/([^/]+)\.(?:validator|coercer|serializer)\.[jt]s$/;

/**
 * Watches `.kit/`, in which a build writes only the files that change. Keeps no process alive. Gives the function that ends it.
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
      // Directories, and what kit keeps for itself: names that begin with a dot, and what is in them.
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
