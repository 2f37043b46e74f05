// What a type means, in the words of this test: nothing here comes from kit. `source.ts` writes a model as TypeScript, `values.ts`
// makes values of it, `accept.ts` judges them.

/** Rules of the keys of dictionaries. */
export const KEY_RULES = { least: 2, most: 6, pattern: "^[a-zé]+$" } as const;

/** A type. */
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

/** Text, maybe with rules, which doc tags of a property say. */
export interface TextModel {
  readonly kind: "text";
  readonly least?: number;
  readonly most?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** Written as `string & { … }`. */
  readonly branded?: true;
}

/** A number, maybe with rules. */
export interface NumberModel {
  readonly kind: "number";
  readonly integer?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly above?: number;
  readonly below?: number;
  readonly multiple?: number;
}

/** A template literal type: texts, and holes. */
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

/** `T[]`. */
export interface ListModel {
  readonly kind: "list";
  readonly element: Model;
  readonly least?: number;
  readonly most?: number;
  readonly unique?: true;
  readonly spelling: "brackets" | "generic" | "readonly";
}

/** `[A, B?, ...C[]]`. */
export interface TupleModel {
  readonly kind: "tuple";
  readonly first: readonly Model[];
  readonly optional: readonly Model[];
  readonly rest?: Model;
  readonly last: readonly Model[];
}

/** Values by key. */
export interface DictionaryModel {
  readonly kind: "dictionary";
  /** `ruled` keys are of an alias whose tags are {@link KEY_RULES}. */
  readonly keys: "string" | "number" | "template" | "ruled";
  readonly value: Model;
}

/** Properties, in one of the ways to write them. */
export interface ObjectModel {
  readonly kind: "object";
  readonly properties: readonly PropertyModel[];
  readonly spelling: Spelling;
}

/** Ways to write an object type. */
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

/** One of them. */
export type Spelling = (typeof SPELLINGS)[number];

/** A property. */
export interface PropertyModel {
  readonly name: string;
  readonly type: Model;
  readonly optional: boolean;
  /** What `@default` fills in, as JSON: the property is written as a required one. */
  readonly fallback?: string | number | boolean;
}

/** A union. Its members are made so that each value is of one of them. */
export interface EitherModel {
  readonly kind: "either";
  readonly members: readonly Model[];
  /** Object members are told apart by this property of literals. */
  readonly tag?: string;
  /** Properties that all members have, written as `{ … } & (A | B)`. */
  readonly common?: readonly PropertyModel[];
}

/** A type that contains itself, by its name. */
export interface NamedModel {
  readonly kind: "named";
  readonly name: string;
}

/** An exported type and the recursive ones that it needs. */
export interface Subject {
  readonly name: string;
  readonly model: Model;
  readonly named: Readonly<Record<string, Model>>;
}

/** The model itself where it is a name. */
export function resolve(model: Model, named: Subject["named"]): Exclude<Model, NamedModel> {
  return model.kind === "named" ? resolve(named[model.name] as Model, named) : model;
}

/** The properties that an object model has as a member of a union. */
export function withCommon(either: EitherModel, member: Model): Model {
  if (either.common === undefined || member.kind !== "object") return member;
  return { ...member, properties: [...either.common, ...member.properties] };
}
