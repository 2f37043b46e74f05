import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

import type { Shape } from "@kit/core/codec";

/**
 * The project's types by name. `.kit/testing/index.ts` adds them, so that names of types are completed and checked wherever it is part of
 * what TypeScript reads.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- generated code adds members
export interface KnownTypes {}

/** The name of a type: of one of the project's where they are known, else any. */
export type TypeName = [keyof KnownTypes] extends [never] ? string : keyof KnownTypes & string;

/** What a type name stands for. */
export type TypeNamed<Name extends string> = Name extends keyof KnownTypes ? KnownTypes[Name] : unknown;

/** What `schemas.json` says of a type, as far as it is used here. */
export interface TypeEntry {
  readonly name: string;
  readonly origin: "named" | "instance" | "slot";
  /** The name that the source exports it under, where that is another one. */
  readonly export?: string;
  /** From the project's root. */
  readonly file: string;
  readonly table?: string;
  readonly properties: readonly PropertyEntry[];
}

/** What `schemas.json` says of a property. */
export interface PropertyEntry {
  readonly name: string;
  readonly type: string;
  /** What `@default` says. */
  readonly default?: unknown;
  /** As they can be written: `@generated uuid`. */
  readonly tags: readonly string[];
}

/** Returns true if a property has a tag. */
export function hasTag(entry: TypeEntry | undefined, property: string, tag: RegExp): boolean {
  const found = entry?.properties.find(({ name }) => name === property);
  return found?.tags.some((written) => tag.test(written)) ?? false;
}

/** The types that `kit build` knows of a project. */
export class ProjectTypes {
  /** The project's directory. */
  readonly root: string;
  readonly entries: ReadonlyMap<string, TypeEntry>;

  private constructor(root: string) {
    this.root = root;
    const path = join(root, ".kit/schemas.json");
    const entries = JSON.parse(readFileSync(path, "utf8")) as Record<string, TypeEntry>;
    this.entries = new Map(Object.entries(entries));
  }

  /**
   * Those of the nearest project at or above a directory.
   *
   * @throws {Error} that says to build, where nothing was built.
   */
  static near(directory: string): ProjectTypes {
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
      `There is no .kit/schemas.json in ${directory} or above it, which says what types there are. Run \`kit build\` in the project's directory; \`kit test\` does so itself`,
    );
  }

  /** What is known of a type. */
  entry(name: string): TypeEntry {
    const entry = this.entries.get(name);
    if (entry !== undefined) return entry;
    throw new Error(
      `kit knows no type \`${name}\`; it knows ${this.names().join(", ") || "none"}. Export it from a file that \`typeFiles\` or \`routeFiles\` of the configuration name, and build`,
    );
  }

  /** The names of all types that somebody named. */
  names(): string[] {
    return [...this.entries.values()].filter(({ origin }) => origin === "named").map(({ name }) => name);
  }

  /** The shape of a type, from its validator. */
  shape(name: string): Shape {
    const { name: known } = this.entry(name);
    const path = join(this.root, ".kit/validators", `${known}.validator.ts`);
    const built = existsSync(path) ? path : path.replace(/\.ts$/, ".js");
    // Synchronous, as who calls for a value expects it; generated modules await nothing.
    const module = createRequire(path)(built) as Record<string, unknown>;
    const shape = module[`${known}Shape`];
    if (typeof shape === "object" && shape !== null) return shape as Shape;
    throw new Error(
      `${built} exports no ${known}Shape. A plugin replaced it; factories and matchers need the shape`,
    );
  }
}

const projects: Map<string, ProjectTypes> = new Map();
