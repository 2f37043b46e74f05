// Model of a type, independent of kit. `source.ts` writes a model as TypeScript, `values.ts` generates its values, and `accept.ts` judges
// values.

/** Rules for the keys of dictionaries. */
export const KEY_RULES = { least: 2, most: 6, pattern: "^[a-zé]+$" } as const;

/** Model of a type. */
export type Model =
  | { readonly kind: "boolean" | "null" | "date" | "bytes" | "bigint" | "unknown" }
  | TextModel
  | NumberModel
  | TemplateModel
  | ChoicesModel
  | ListModel
  | TupleModel
  | DictionaryModel
  | ObjectModel
  | EitherModel
  | NamedModel;

/** String, optionally with rules from doc tags of a property. */
export interface TextModel {
  readonly kind: "text";
  readonly least?: number;
  readonly most?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** Written as `string & { … }`. */
  readonly branded?: true;
}

/** Number, optionally with rules. */
export interface NumberModel {
  readonly kind: "number";
  readonly integer?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly above?: number;
  readonly below?: number;
  readonly multiple?: number;
}

/** Template literal type: strings and holes. */
export interface TemplateModel {
  readonly kind: "template";
  readonly parts: readonly (string | { readonly hole: "string" | "number" | "bigint" | "boolean" })[];
  readonly most?: number;
}

/** One of a few values. */
export interface ChoicesModel {
  readonly kind: "choices";
  readonly values: readonly (string | number | boolean | bigint)[];
  readonly spelling: "union" | "enum" | "constants" | "keys" | "exclude" | "extract";
}

/** List type `T[]`. */
export interface ListModel {
  readonly kind: "list";
  readonly element: Model;
  readonly least?: number;
  readonly most?: number;
  readonly unique?: true;
  readonly spelling: "brackets" | "generic" | "readonly";
}

/** Tuple type `[A, B?, ...C[]]`. */
export interface TupleModel {
  readonly kind: "tuple";
  readonly first: readonly Model[];
  readonly optional: readonly Model[];
  readonly rest?: Model;
  readonly last: readonly Model[];
}

/** Dictionary: values by key. */
export interface DictionaryModel {
  readonly kind: "dictionary";
  /** For `ruled`, the key type is an alias with the tags {@link KEY_RULES}. */
  readonly keys: "string" | "number" | "template" | "ruled";
  readonly value: Model;
}

/** Object with properties, in one of the spellings. */
export interface ObjectModel {
  readonly kind: "object";
  readonly properties: readonly PropertyModel[];
  readonly spelling: Spelling;
}

/** Spellings of an object type. */
export const SPELLINGS = [
  "inline",
  "interface",
  "extends",
  "intersection",
  "merged",
  "omit",
  "pick",
  "mapped",
  "generic",
  "conditional",
  "partial",
  "required",
  "indexed",
  "renamed",
] as const;

/** Spelling of an object type. */
export type Spelling = (typeof SPELLINGS)[number];

/** Property of an object. */
export interface PropertyModel {
  readonly name: string;
  readonly type: Model;
  readonly optional: boolean;
  /** JSON of the `@default` value. The property is written as a required one. */
  readonly fallback?: string | number | boolean;
}

/** Union. Its members are generated so that each value belongs to exactly one of them. */
export interface EitherModel {
  readonly kind: "either";
  readonly members: readonly Model[];
  /** Tag property that distinguishes the object members. */
  readonly tag?: string;
  /** Properties that all members have, written as `{ … } & (A | B)`. */
  readonly common?: readonly PropertyModel[];
}

/** Reference by name to a type that contains itself. */
export interface NamedModel {
  readonly kind: "named";
  readonly name: string;
}

/** Exported type, with the recursive types that it needs. */
export interface Subject {
  readonly name: string;
  readonly model: Model;
  readonly named: Readonly<Record<string, Model>>;
}

/** Resolves a name to its model. */
export function resolve(model: Model, named: Subject["named"]): Exclude<Model, NamedModel> {
  return model.kind === "named" ? resolve(named[model.name] as Model, named) : model;
}

/** Returns the member with the common properties of its union. */
export function withCommon(either: EitherModel, member: Model): Model {
  if (either.common === undefined || member.kind !== "object") return member;
  return { ...member, properties: [...either.common, ...member.properties] };
}
