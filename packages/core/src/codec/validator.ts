import type { Validator } from "@kit/types";

import { explain } from "./explain.ts";
import type { Shape } from "./shape.ts";

/**
 * Returns the validator of a type from its generated functions and its shape.
 *
 * @example
 * ```ts
 * const isYes = (value: unknown): boolean => value === "yes";
 * const answer = validator("Answer", { kind: "literal", value: "yes" }, isYes, String);
 * answer.is("no"); // false
 * answer.failures("no").length; // 1
 * ```
 */
export function validator<T>(
  name: string,
  shape: Shape,
  is: (value: unknown) => boolean,
  decode: (value: unknown) => T,
): Validator<T> {
  return { name, is, failures: (value, limit) => explain(shape, value, "wire", limit), decode };
}
