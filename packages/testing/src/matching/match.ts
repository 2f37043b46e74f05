import { AssertionError } from "node:assert";
import { dirname } from "node:path";

import { explain, type Form } from "@kit/core/codec";

import { type CallSite, callSiteOf } from "../project/call-site.ts";
import { ProjectTypes, type TypeName, type TypeNamed } from "../project/known-types.ts";
import { outputShape } from "./output-shape.ts";

/** Where the type is known. */
export interface MatchOptions {
  /** The project, or a directory below it. Default: that of the file that calls. */
  readonly root?: string;
}

/** So many places are told. */
const TOLD = 10;

/**
 * Holds a value against a type of the project: a parsed answer, or what a handler returns, with its dates as `Date`. Afterwards TypeScript knows
 * it as such.
 *
 * @param type - The name of the type, as it is exported.
 * @throws {AssertionError} that says of each place that does not fit what was expected and what is there.
 * @example
 * ```ts
 * const { body } = await client.request("GET", "/notes/1");
 * assertMatches(body, "Note");
 * assert.equal(body.title, "Groceries");
 * ```
 */
export function assertMatches<Name extends TypeName>(
  value: unknown,
  type: Name,
  options: MatchOptions = {},
): asserts value is TypeNamed<Name> {
  const { matches, message } = matched(value, type, options, assertMatches);
  if (!matches) throw new AssertionError({ message: message(), actual: value, stackStartFn: assertMatches });
}

/** What a matcher of vitest answers. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
  readonly actual: unknown;
}

/** Matchers for `expect.extend` of vitest; `.kit/testing/` tells TypeScript about them. */
export type SchemaMatchers = {
  /** Holds a value against a type of the project, as {@link assertMatches} does. */
  readonly toMatchSchema: (received: unknown, type: string, options?: MatchOptions) => MatcherResult;
};

/**
 * Matchers for vitest.
 *
 * @example
 * ```ts
 * import { schemaMatchers } from "@kit/testing";
 * import { expect } from "vitest";
 *
 * expect.extend(schemaMatchers);
 * expect(body).toMatchSchema("Note");
 * ```
 */
export const schemaMatchers: SchemaMatchers = {
  toMatchSchema(received, type, options = {}) {
    const { matches, message } = matched(received, type, options, schemaMatchers.toMatchSchema);
    return {
      pass: matches,
      message: () => (matches ? `The value is a ${type}, and should not be one` : message()),
      actual: received,
    };
  },
};

interface Matched {
  readonly matches: boolean;
  readonly message: () => string;
}

function matched(
  value: unknown,
  type: string,
  options: MatchOptions,
  callee: (...parameters: never[]) => unknown,
): Matched {
  const types = ProjectTypes.near(options.root ?? directoryOf(callSiteOf(callee)));
  const shape = outputShape(types.shape(type));
  const form: Form = holdsObjects(value) ? "value" : "wire";
  const failures = explain(shape, value, form);
  return {
    matches: failures.length === 0,
    message: () => {
      const lines = failures
        .slice(0, TOLD)
        .map(({ path, expected, received }) => `  ${path}: expected ${expected}, received ${received}`);
      if (failures.length > TOLD) lines.push(`  and ${failures.length - TOLD} more`);
      return `The value does not match ${type}:\n${lines.join("\n")}`;
    },
  };
}

function directoryOf(site: CallSite | undefined): string {
  // Within a runner's own packages nothing is known; tests run in the project's directory.
  return site === undefined || /[\\/]node_modules[\\/]/.test(site.file) ? process.cwd() : dirname(site.file);
}

/** Whether something in a value is what JSON has no form of: then it is a handler's, not an answer's. */
function holdsObjects(value: unknown, seen: Set<unknown> = new Set()): boolean {
  if (typeof value === "bigint" || value instanceof Date || value instanceof Uint8Array) return true;
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  return Object.values(value).some((part) => holdsObjects(part, seen));
}
