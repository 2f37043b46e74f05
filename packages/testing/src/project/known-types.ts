import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

import type { Shape } from "@kit/core/codec";

/**
 * Types of the project by name. The generated `.kit/testing/index.ts` adds them to this interface, so that TypeScript completes and checks
 * the names in every program that includes that file.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- generated code adds members
export interface ProjectTypeMap {}

/**
 * Routes of the project whose contracts declare headers, cookies or a WebSocket, with their types. The generated
 * `.kit/testing/index.ts` adds them to this interface.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- generated code adds members
export interface ProjectRouteMap {}

/** Name of a type of the project. Accepts any string if {@link ProjectTypeMap} is empty. */
export type TypeName = [keyof ProjectTypeMap] extends [never] ? string : keyof ProjectTypeMap & string;

/** Type of the project that has the given name. */
export type TypeNamed<Name extends string> = Name extends keyof ProjectTypeMap
  ? ProjectTypeMap[Name]
  : unknown;

/** Entry of a type in `schemas.json`, with the properties that this package uses. */
export interface TypeEntry {
  readonly name: string;
  readonly origin: "named" | "instance" | "slot";
  /** Exported name in the source, if it differs from `name`. */
  readonly export?: string;
  /** Path of the file, relative to the root of the project. */
  readonly file: string;
  readonly table?: string;
  readonly properties: readonly PropertyEntry[];
}

/** Entry of a property in `schemas.json`, with its default and its doc tags. */
export interface PropertyEntry {
  readonly name: string;
  readonly type: string;
  /** Value of `@default`. */
  readonly default?: unknown;
  /** Doc tags as written in the source: `@generated uuid`. Absent in a large project if the property has none. */
  readonly tags?: readonly string[];
}

/** Returns true if a property has a doc tag that matches the pattern. */
export function hasTag(entry: TypeEntry | undefined, property: string, tag: RegExp): boolean {
  const found = entry?.properties.find(({ name }) => name === property);
  return found?.tags?.some((written) => tag.test(written)) ?? false;
}

/** Types of a project, read from the output of `kit build`. */
export class ProjectTypes {
  /** Directory of the project. */
  readonly root: string;
  readonly entries: ReadonlyMap<string, TypeEntry>;

  private constructor(root: string) {
    this.root = root;
    const path = join(root, ".kit/schemas.json");
    const entries = JSON.parse(readFileSync(path, "utf8")) as Record<string, TypeEntry>;
    this.entries = new Map(Object.entries(entries));
  }

  /**
   * Returns the types of the nearest project at or above a directory.
   *
   * @throws {Error} if there is no `.kit/schemas.json`, because the project was not built.
   */
  static find(directory: string): ProjectTypes {
    for (let at = resolve(directory); ; at = dirname(at)) {
      if (existsSync(join(at, ".kit/schemas.json"))) {
        const known = projects.get(at);
        if (known !== undefined) return known;
        const types = new ProjectTypes(at);
        projects.set(at, types);
        return types;
      }
      if (dirname(at) === at) break;
    }
    throw new Error(
      `kit found no list of the project's types: neither ${directory} nor a directory above it contains .kit/schemas.json. Run \`kit build\` in the project's directory, or run the tests with \`kit test\``,
    );
  }

  /**
   * Returns the entry of a type.
   *
   * @throws {Error} if there is no type with that name.
   */
  entry(name: string): TypeEntry {
    const entry = this.entries.get(name);
    if (entry !== undefined) return entry;
    throw new Error(
      `The project has no type \`${name}\`. Its types are ${this.names().join(", ") || "none"}. Export the type from a file that matches \`typeFiles\` or \`routeFiles\` in kit.config.ts, then run \`kit build\``,
    );
  }

  /** Returns the names of all types that have a name in the project's source. */
  names(): string[] {
    return [...this.entries.values()].filter(({ origin }) => origin === "named").map(({ name }) => name);
  }

  /**
   * Returns the shape of a type: the data about its structure that its generated code exports.
   *
   * @throws {Error} if the generated code exports no shape.
   */
  shape(name: string): Shape {
    const { name: known } = this.entry(name);
    const validator = `validators/${known}.validator`;
    // The last two files exist if a plugin replaces the validator.
    const files = ["codecs.js", `modules/${known}.validator.js`, `${validator}.ts`, `${validator}.js`];
    const paths = files.map((file) => join(this.root, ".kit", file)).filter((path) => existsSync(path));
    for (const path of paths) {
      // Callers expect the result without `await`, so the module is loaded synchronously. Generated modules use no
      // top-level await.
      const module = createRequire(path)(path) as Record<string, unknown>;
      const shape = module[`${known}Shape`];
      if (typeof shape === "object" && shape !== null) return shape as Shape;
    }
    throw new Error(
      `${paths.join(" and ")} export no ${known}Shape, which factories and matchers need. Check the plugin that replaces the validator`,
    );
  }
}

const projects: Map<string, ProjectTypes> = new Map();
