import type { Decimal } from "@kit/types";

import type { RuleName } from "../values/index.ts";

/** Types of values that are overridden only as a whole. */
type Scalar = string | number | boolean | bigint | symbol | null | undefined | Date | Uint8Array;

/** Properties of a value to override, at any depth. A list is always overridden as a whole. */
export type Overrides<T> = T extends Scalar | readonly unknown[]
  ? T
  : { readonly [Key in keyof T]?: Overrides<T[Key]> | undefined };

/**
 * Maximum depth of the field paths that TypeScript completes. Without a maximum, the type of the paths would be
 * infinite. Deeper fields still exist at run time.
 */
type Deeper = { 0: 1; 1: 2; 2: 3; 3: 4; 4: 5 };
type Depth = keyof Deeper | 5;

/** Paths of the fields of a type, as in failures but without `$.`: `title`, `author.name`, `tags[0]`. */
export type Field<T> = unknown extends T ? string : FieldOf<Present<T>, 0>;

type FieldOf<T, At extends Depth> = At extends keyof Deeper
  ? T extends Scalar
    ? never
    : T extends readonly (infer Item)[]
      ? `[${number}]` | `[${number}]${Below<Present<Item>, Deeper[At]>}`
      : { [Key in keyof T & string]: Key | `${Key}${Below<Present<T[Key]>, Deeper[At]>}` }[keyof T & string]
  : never;

type Below<T, At extends Depth> = At extends keyof Deeper
  ? T extends Scalar
    ? never
    : T extends readonly (infer Item)[]
      ? `[${number}]` | `[${number}]${Below<Present<Item>, Deeper[At]>}`
      : `.${FieldOf<T, At>}`
  : never;

type Present<T> = Exclude<T, null | undefined>;

/** Type of the field at a path. */
export type FieldValue<T, Path extends string> = T extends unknown
  ? Path extends `[${number}]`
    ? ItemOf<T>
    : Path extends `[${number}].${infer Rest}`
      ? FieldValue<Present<ItemOf<T>>, Rest>
      : Path extends `[${number}]${infer Rest}`
        ? FieldValue<Present<ItemOf<T>>, Rest>
        : Path extends keyof T
          ? T[Path]
          : Path extends `${infer Key}[${infer Rest}`
            ? Key extends `${infer Outer}.${infer Inner}`
              ? FieldValue<Member<T, Outer>, `${Inner}[${Rest}`>
              : FieldValue<Member<T, Key>, `[${Rest}`>
            : Path extends `${infer Key}.${infer Rest}`
              ? FieldValue<Member<T, Key>, Rest>
              : never
  : never;

type Member<T, Key extends string> = Key extends keyof T ? Present<T[Key]> : never;

type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;

type Always = "required" | "null" | "type";

/**
 * Names of the rules that a value of the type may break. TypeScript does not know the rules of a field, so an unknown
 * rule fails at run time.
 */
export type RuleOf<V> = [V] extends [never]
  ? RuleName
  : unknown extends V
    ? RuleName
    : Always | RulesOfKind<Present<V>>;

/** A plain string is assignable to each `Decimal`, and a `Decimal` only to those with its digits. */
type IsDecimal<V> =
  V extends Decimal<never, never> ? false : V extends Decimal<number, number> ? true : false;

type Bound = "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum";

type RulesOfKind<V> =
  IsDecimal<V> extends true
    ? "format" | Bound
    : V extends string
      ? "enum" | "format" | "pattern" | "template" | "minLength" | "maxLength"
      : V extends number | bigint
        ? "enum" | "integer" | Bound | "multipleOf"
        : V extends boolean
          ? "enum"
          : V extends Date | Uint8Array
            ? "format"
            : V extends readonly unknown[]
              ? "length" | "minItems" | "maxItems" | "uniqueItems"
              : never;
