import { AssertionError } from "node:assert";
import { dirname } from "node:path";

import { explain, type Form } from "@kit/core/codec";

import { type CallSite, callSiteOf } from "../project/call-site.ts";
import { ProjectTypes, type TypeName, type TypeNamed } from "../project/known-types.ts";
import { outputShape } from "./output-shape.ts";

/** Options of {@link assertMatches} and {@link schemaMatchers}. */
export interface MatchOptions {
  /** Directory of the project, or a directory below it. Default: the directory of the calling file. */
  readonly root?: string;
}

/** Maximum number of failures that a message lists. */
const MAX_FAILURES = 10;

/**
 * Checks a value against a type of the project, and narrows its TypeScript type. The value is a parsed response body, or a result of a
 * handler with `Date` objects.
 *
 * @param type - The exported name of the type.
 * @throws {AssertionError} if the value does not match. The message lists the expected and received value of each failure.
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

/** Result of a vitest matcher. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
  readonly actual: unknown;
}

/** Matchers for `expect.extend` of vitest. `kit build` writes their types to `.kit/testing/`. */
export type SchemaMatchers = {
  /** Checks a value against a type of the project, as {@link assertMatches} does. */
  readonly toMatchSchema: (received: unknown, type: string, options?: MatchOptions) => MatcherResult;
};

/**
 * Matchers for `expect.extend` of vitest.
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
      message: () => (matches ? `The value matches ${type}, but should not` : message()),
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
  const types = ProjectTypes.find(options.root ?? directoryOf(callSiteOf(callee)));
  const shape = outputShape(types.shape(type));
  const form: Form = holdsObjects(value) ? "value" : "wire";
  const failures = explain(shape, value, form);
  return {
    matches: failures.length === 0,
    message: () => {
      const lines = failures
        .slice(0, MAX_FAILURES)
        .map(({ path, expected, received }) => `  ${path}: expected ${expected}, received ${received}`);
      if (failures.length > MAX_FAILURES) lines.push(`  and ${failures.length - MAX_FAILURES} more`);
      return `The value does not match ${type}:\n${lines.join("\n")}`;
    },
  };
}

function directoryOf(site: CallSite | undefined): string {
  // If the calling file is in `node_modules`, it belongs to the test runner, which runs in the directory of the project.
  return site === undefined || /[\\/]node_modules[\\/]/.test(site.file) ? process.cwd() : dirname(site.file);
}

/**
 * Returns true if a value contains a `Date`, a bigint or bytes. JSON cannot contain them, so the value comes from a handler.
 */
function holdsObjects(value: unknown, seen: Set<unknown> = new Set()): boolean {
  if (typeof value === "bigint" || value instanceof Date || value instanceof Uint8Array) return true;
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  return Object.values(value).some((part) => holdsObjects(part, seen));
}
