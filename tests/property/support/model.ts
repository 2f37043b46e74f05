// Model of a type, independent of kit. `source.ts` writes a model as TypeScript, `values.ts` generates its values, and `accept.ts` judges
// values.

/** Rules for the keys of dictionaries. */
export const KEY_RULES = { least: 2, most: 6, pattern: "^[a-zé]+$" } as const;

/** Model of a TypeScript type. */
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

/** String type. Its rules are doc tags of a property. */
export interface TextModel {
  readonly kind: "text";
  readonly least?: number;
  readonly most?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** True if it is written as `string & { … }`. */
  readonly branded?: true;
}

/** Number type, which may have rules. */
export interface NumberModel {
  readonly kind: "number";
  readonly integer?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly above?: number;
  readonly below?: number;
  readonly multiple?: number;
}

/** Template literal type. Its parts are strings and holes such as `${number}`. */
export interface TemplateModel {
  readonly kind: "template";
  readonly parts: readonly (string | { readonly hole: "string" | "number" | "bigint" | "boolean" })[];
  readonly most?: number;
}

/** Union of a few literals. */
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

/** Type of objects with any keys, such as `Record<string, T>`. */
export interface DictionaryModel {
  readonly kind: "dictionary";
  /** Type of the keys. For `ruled`, it is an alias with the doc tags {@link KEY_RULES}. */
  readonly keys: "string" | "number" | "template" | "ruled";
  readonly value: Model;
}

/** Object type with properties. */
export interface ObjectModel {
  readonly kind: "object";
  readonly properties: readonly PropertyModel[];
  readonly spelling: Spelling;
}

/** Ways in which an object type is written. */
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

/** Way in which an object type is written. */
export type Spelling = (typeof SPELLINGS)[number];

/** Property of an object type. */
export interface PropertyModel {
  readonly name: string;
  readonly type: Model;
  readonly optional: boolean;
  /** JSON of the value in `@default`. The property is written without `?`. */
  readonly fallback?: string | number | boolean;
}

/** Union type. Each value belongs to exactly one of its members. */
export interface EitherModel {
  readonly kind: "either";
  readonly members: readonly Model[];
  /** Name of the tag property, if one distinguishes the members. */
  readonly tag?: string;
  /**
   * Properties that all members have. They are written as `{ … } & (A
   *  B)`.
   */
  readonly common?: readonly PropertyModel[];
}

/** Reference by name to a recursive type. */
export interface NamedModel {
  readonly kind: "named";
  readonly name: string;
}

/** Exported type that is tested, with the recursive types that it refers to. */
export interface Subject {
  readonly name: string;
  readonly model: Model;
  readonly named: Readonly<Record<string, Model>>;
}

/** Returns the model that a name stands for. Returns other models unchanged. */
export function resolve(model: Model, named: Subject["named"]): Exclude<Model, NamedModel> {
  return model.kind === "named" ? resolve(named[model.name] as Model, named) : model;
}

/** Returns a member of a union together with the properties that all members have. */
export function withCommon(either: EitherModel, member: Model): Model {
  if (either.common === undefined || member.kind !== "object") return member;
  return { ...member, properties: [...either.common, ...member.properties] };
}
