import { createRequire } from "node:module";

type Parse = (text: string) => unknown;

// The functions with which the package `pg` reads values, before a program changes them. The package exports no types for them.
const { init } = createRequire(import.meta.url)("pg-types/lib/textParsers.js") as {
  init(register: (type: number, parse: Parse) => void): void;
};
const parsers = new Map<number, Parse>();
init((type, parse) => parsers.set(type, parse));

const unchanged: Parse = (text) => text;

/**
 * Reads values of columns as the package `pg` does by default. pg-boss depends on this, but an application can change how `pg`
 * reads a type in the whole process, for example wide integers as `bigint`.
 */
export const standardTypes = {
  getTypeParser: (type: number, format?: string): Parse =>
    format === "binary" ? unchanged : (parsers.get(type) ?? unchanged),
};
