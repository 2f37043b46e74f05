/**
 * Name of the rule that a value breaks. If JSON Schema 2020-12 has a keyword for the rule, the name is that keyword.
 * The other names are kit's own:
 *
 * - `required`: a property or a body is missing. Since there is no value to show, `value` is `null`.
 * - `template`: a template literal type of TypeScript.
 * - `unknown`: the contract allows no value at this location, because its type is `never`.
 * - `maxDepth`: the value is nested too deep.
 * - `maxFailures`: the entry that replaces all failures beyond the maximum.
 * - `characters`: the string has characters that databases cannot store.
 * - `maxBytes` and `mime`: a file is too large, or has another type.
 * - `multipart`: the framing of a multipart body is invalid.
 * - `json` and `encoding`: the input could not be parsed or decoded.
 */
export type ValidationRule =
  | "required"
  | "type"
  | "enum"
  | "const"
  | "minLength"
  | "maxLength"
  | "pattern"
  | "format"
  | "template"
  | "contentEncoding"
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum"
  | "multipleOf"
  | "minItems"
  | "maxItems"
  | "uniqueItems"
  | "anyOf"
  | "unknown"
  | "maxDepth"
  | "maxFailures"
  | "characters"
  | "maxBytes"
  | "mime"
  | "multipart"
  | "json"
  | "encoding";

/** Argument of a rule: the number of `minLength`, the string of `pattern`, one value of `enum`. */
export type ValidationLimitValue = string | number | boolean | null;

/** Argument of a rule, as the contract specifies it. The argument contains no data of the request. */
export type ValidationLimit = ValidationLimitValue | readonly ValidationLimitValue[];

/**
 * Location in a value, with the rule that the value breaks there. Only `path` and `expected` are always plain properties.
 * The others may be getters of a class, which a spread (`{ ...failure }`) does not copy. To copy a failure, read its
 * properties by name, or use `JSON.stringify`, which includes all properties.
 */
export interface ValidationFailure {
  /** JSONPath of the value: `$.items[0].quantity`. `$` is the entire params, query, body or response. */
  path: string;
  /** Type and constraints in words: `string, 1 to 200 characters`. */
  expected: string;
  /** Received value in words: `number 42`, `string of 0 characters`, `nothing`. */
  received: string;
  /**
   * Received value. `null` if the value is missing. `[redacted]` if the field is `@sensitive`. Absent if there is no
   * value to show, for example because a body is not JSON.
   */
  value?: unknown;
  /** First rule that the value breaks, for programs: `minLength`. */
  rule: ValidationRule;
  /** Argument of that rule, such as `1`. Absent if the rule has none. */
  limit?: ValidationLimit | undefined;
  /** Advice on how to correct the input. */
  suggestion?: string | undefined;
}

/**
 * Checks and decodes values of one type. `kit build` generates a validator for each type, and exports all of them from
 * `.kit/codecs.js`. The three functions agree: `is(v)` returns true if and only if `failures(v)` is empty, and `decode(v)` may be called only in that case.
 */
export interface Validator<T> {
  /** Name of the type. */
  readonly name: string;
  /** Returns true if a parsed JSON value satisfies the type. Never throws and allocates nothing. */
  is(this: void, value: unknown): boolean;
  /** Returns every broken rule, up to `limit` (default 100). If more rules are broken, one more entry says so. */
  failures(this: void, value: unknown, limit?: number): ValidationFailure[];
  /** Creates the value for the handler: declared properties only, with defaults and `Date` objects. */
  decode(this: void, value: unknown): T;
}

/**
 * Converts strings of a path, a query, headers, cookies or a form into the types that the validator of the slot expects. A
 * string that cannot be converted stays a string, and the validator reports it.
 */
export interface Coercer {
  /** Converts path parameters. The values are in the order of the route and percent-decoded. */
  params?(this: void, values: readonly string[]): unknown;
  /** Converts the raw query string, given without its question mark. */
  query?(this: void, query: string): unknown;
  /** Names of the keys that {@link Coercer.query} reads, without keys that an index signature accepts. */
  readonly keys?: readonly string[];
  /** Converts request headers. `read` returns the value of a header by its lower-case name. */
  headers?(this: void, read: (name: string) => string | undefined): unknown;
  /**
   * Converts the parts of a multipart body that are no files. `read` returns the text of a part by its name, or an array
   * if the body has several parts with the name. A part with an object type is parsed as JSON.
   */
  multipart?(this: void, read: (name: string) => string | string[] | undefined): unknown;
  /** Converts cookies from the value of the header `cookie`. `undefined` if the request has no such header. */
  cookies?(this: void, header: string | undefined): unknown;
}

/** Writes values of one type as JSON, with declared properties only. Generated by `kit build`. */
export interface Serializer<T> {
  /** Name of the type. */
  readonly name: string;
  /**
   * Returns JSON. Throws a `TypeError` with the JSONPath of a value that has no JSON form (`NaN`, an invalid `Date`).
   */
  serialize(this: void, value: T): string;
  /**
   * Returns every location at which a handler's value breaks the contract. kit checks responses with it in development.
   */
  failures(this: void, value: unknown, limit?: number): ValidationFailure[];
}

/** Writes the headers of a reply, with declared names only. Generated by `kit build`. */
export interface HeaderWriter<T> {
  /** Name of the type of the headers. */
  readonly name: string;
  /**
   * Returns a list of name, value, name, value. A list of `set-cookie` becomes one name and value for each item.
   * Throws a `TypeError` with the JSONPath of a value that cannot be written, such as a string with a line break.
   */
  write(this: void, value: T): string[];
  /** Returns every location at which the headers break the contract. kit checks replies with it in development. */
  failures(this: void, value: unknown, limit?: number): ValidationFailure[];
}
