import { type FSWatcher, readFileSync, watch } from "node:fs";
import { basename, join, sep } from "node:path";

/** Changes that a build made in `.kit/` while the application runs. */
export interface SchemaChange {
  /** Absolute path of `.kit/`. */
  readonly directory: string;
  /** Files that were written or removed, relative to `directory`, with slashes, sorted by name. */
  readonly files: readonly string[];
  /** Names of types that are new, that no longer exist, or whose properties or rules changed. */
  readonly types: readonly string[];
  /** True if the routes changed. */
  readonly routes: boolean;
}

/** Entry of a type in `schemas.json`: JSON Schemas, and properties with their doc tags. */
interface TypeEntry {
  readonly schema: unknown;
  readonly inputSchema?: unknown;
  readonly properties: unknown;
}

/**
 * Milliseconds without a change after which changes are reported. A build writes many files, and its changes are
 * reported together.
 */
const quietMs = 100;

/** File of `.kit/` that describes the types. */
const typesFile = "schemas.json";
/** File of `.kit/` with the OpenAPI document. */
const documentFile = "schemas/openapi.json";
/** Start of a reference from `schemas.json` to a schema of the OpenAPI document. Only large projects have such references. */
const reference = `${documentFile}#/components/schemas/`;

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
  let known = readTypes(directory) ?? new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    const files = [...changed].toSorted();
    changed.clear();
    const hasTypes = files.includes(typesFile) || files.includes(documentFile);
    const now = (hasTypes ? readTypes(directory) : undefined) ?? known;
    const types = differences(known, now);
    known = now;
    onChange({ directory, files, types, routes: files.some(isOfRoutes) });
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

/** Returns the schemas and properties of each type as text. `undefined` if the last build did not write them. */
function readTypes(directory: string): Map<string, string> | undefined {
  try {
    const text = readFileSync(join(directory, typesFile), "utf8");
    const types = JSON.parse(text) as Record<string, TypeEntry>;
    const components = text.includes(reference) ? readComponents(directory) : {};
    const resolved = (schema: unknown): unknown => {
      const to = (schema as { readonly $ref?: string } | undefined)?.$ref;
      return to?.startsWith(reference) === true ? components[to.slice(reference.length)] : schema;
    };
    return new Map(
      Object.entries(types).map(([name, { schema, inputSchema, properties }]) => [
        name,
        JSON.stringify([resolved(schema), resolved(inputSchema), properties]),
      ]),
    );
  } catch {
    return undefined;
  }
}

/** Returns the schemas of the OpenAPI document by name. */
function readComponents(directory: string): Readonly<Record<string, unknown>> {
  const document = JSON.parse(readFileSync(join(directory, documentFile), "utf8")) as {
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  };
  return document.components.schemas;
}

/** Returns the keys that only one of the maps has, or for which their values differ, sorted. */
function differences(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => before.get(name) !== now.get(name)).toSorted();
}

function isOfRoutes(file: string): boolean {
  return file === "routes.json" || file.startsWith("routes/");
}
