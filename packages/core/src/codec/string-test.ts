/** Test of a string, such as a regular expression or the test of a template literal type. */
export interface StringTest {
  test(text: string): boolean;
  /** Parts of a template literal type, for code that generates examples. */
  readonly parts?: readonly TemplatePart[];
}

/** Part of a template literal type: constant text, or a placeholder (a "hole") such as `${number}`. */
export type TemplatePart = string | HolePart | EitherPart;

/** Placeholder for any string, for a text that JavaScript converts to a finite number, or for digits with an optional `-`. */
export interface HolePart {
  readonly hole: "string" | "number" | "bigint";
}

/** Placeholder for one of several alternatives, such as `${"a" | "b"}`. An empty list matches nothing. */
export interface EitherPart {
  readonly either: readonly (readonly TemplatePart[])[];
}
