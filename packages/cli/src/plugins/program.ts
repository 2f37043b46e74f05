/**
 * What an application is, once its TypeScript has been understood: the document that plugins get. `version` changes when a member
 * changes its meaning. Numbers such as `TypeId` are places in the lists of {@link Program}.
 */
export interface Program {
  version: 2;
  /** Source files. */
  sources: { path: string }[];
  /** All types; they refer to each other by their place. */
  types: Type[];
  /** All named types. Types recurse through them and through nothing else. */
  declarations: Declaration[];
  /** The stored ones. */
  entities: Entity[];
  routes: Route[];
  /** Of the routes, in order of first use. */
  groups?: ContractGroup[];
  application: Application;
}

/** A place in `types`. @integer @minimum 0 */
export type TypeId = number;
/** A place in `declarations`. @integer @minimum 0 */
export type DeclarationId = number;

/** A type with the rules that its values satisfy. */
export type Type = TypeKind & { constraints?: Constraints };

/** The shape of a type. */
export type TypeKind =
  | { kind: "unknown" | "never" | "null" | "boolean" | "number" | "string" | "bigInt" | "date" | "bytes" }
  | { kind: "literal"; value: LiteralValue }
  | { kind: "template"; parts: TemplatePart[] }
  | { kind: "array"; element: TypeId }
  | { kind: "tuple"; elements: TupleElement[] }
  | { kind: "object"; properties: Property[]; index?: IndexSignature[] }
  | { kind: "union"; members: TypeId[] }
  | { kind: "reference"; declaration: DeclarationId };

/** The value of a literal type; a bigint as its digits. */
export type LiteralValue =
  | { type: "string" | "bigInt"; value: string }
  | { type: "number"; value: number }
  | { type: "boolean"; value: boolean };

/** Text, or the type of a hole. */
export type TemplatePart = { part: "text"; value: string } | { part: "hole"; value: TypeId };

export interface TupleElement {
  type: TypeId;
  optional: boolean;
  rest: boolean;
  label?: string;
}

/** What other keys of an object may hold. */
export interface IndexSignature {
  key: { kind: "string" } | { kind: "number" } | { kind: "template"; parts: TemplatePart[] };
  /** Rules that each key which the signature takes must satisfy. */
  rules?: Constraints;
  value: TypeId;
}

/** Rules; each applies to kinds that it fits. Lengths count Unicode code points. */
export interface Constraints {
  /** @integer @minimum 0 */
  minLength?: number;
  /** @integer @minimum 0 */
  maxLength?: number;
  format?: "email" | "uri" | "uuid" | "date" | "date-time" | "ipv4" | "ipv6";
  /** An ECMA-262 regular expression, unanchored. */
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  integer?: boolean;
  /** @integer @minimum 0 */
  minItems?: number;
  /** @integer @minimum 0 */
  maxItems?: number;
  uniqueItems?: boolean;
}

/** A property of an object type. */
export interface Property {
  name: string;
  type: TypeId;
  optional: boolean;
  documentation: Documentation;
  tags: PropertyTags;
  span: Span;
}

/** Text for people. */
export interface Documentation {
  /** Markdown. */
  description?: string;
  /** Why, or an empty text. */
  deprecated?: string;
  /** JSON texts. */
  examples?: string[];
}

/** What a property is for. */
export interface PropertyTags {
  id?: boolean;
  generated?: "uuid" | "now" | "unspecified";
  onUpdateNow?: boolean;
  default?:
    | { kind: "literal"; value: LiteralValue }
    | { kind: "null" | "now" }
    | { kind: "json"; value: string };
  unique?: boolean;
  index?: boolean;
  sensitive?: boolean;
  references?: {
    entity: string;
    property: string;
    onDelete: "noAction" | "cascade" | "setNull" | "restrict";
  };
  column?: string;
  renamedFrom?: string;
}

/** A named type. */
export interface Declaration {
  /** Unique, an identifier in PascalCase: files are named after it. */
  name: string;
  /** What it stands for; never a bare reference. */
  type: TypeId;
  origin:
    | { origin: "named"; export: string }
    | { origin: "instance"; expression: string }
    | { origin: "slot" };
  documentation: Documentation;
  span: Span;
}

/** A stored declaration. */
export interface Entity {
  declaration: DeclarationId;
  table: string;
  renamedFrom?: string;
  /** Names with names of properties. */
  indexes?: [string, string[]][];
  /** Names with names of properties. */
  uniques?: [string, string[]][];
  /** `@owner`: the rows that a request may read and change. `context` is a path below `ctx`: `userId`, `user.id`. */
  owner?: { kind: "none" } | { kind: "property"; property: string; context: string };
}

/** An endpoint. */
export interface Route {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** The final path, with the group's prefix. */
  path: string;
  /** The key of the contract group. */
  key: string;
  /** The name of the contract group. */
  group: string;
  /** Names of the path's parameters. */
  parameters: string[];
  /** Null is `void`. */
  slots: Record<"params" | "query" | "body" | "response", DeclarationId | null>;
  /** Of a successful answer. @integer @minimum 200 @maximum 399 */
  status: number;
  summary?: string;
  tags?: string[];
  throws?: { code: string; status: number; description?: string }[];
  documentation: Documentation;
  /** Names, in order of running. */
  middleware: string[];
  /** What its middleware asks of a request: of each list one, and all lists together. */
  security?: Security[][];
  handler?: { export: string; span: Span };
  /** Tests that mention the route. */
  tests?: string[];
  span: Span;
}

/** A contract group: an interface whose keys are routes. */
export interface ContractGroup {
  /** As in `Route.group`. */
  name: string;
  documentation: Documentation;
}

/** What a middleware asks of a request. */
export interface Security {
  /** How the request carries it. */
  scheme:
    | { kind: "bearer"; format?: string }
    | { kind: "basic" }
    | { kind: "header" | "cookie" | "query"; name: string };
  description?: string;
}

/** What `createApp` says. */
export interface Application {
  span?: Span;
  middleware: {
    name: string;
    priority: number;
    kind: "global" | "route" | "registered" | "built-in";
    /** Each of them suffices. */
    security?: Security[];
    /** Paths below `ctx` that it adds, of those that an `@owner` names. */
    adds?: string[];
    span: Span;
  }[];
}

/** A stretch of a source file: a place in `sources`, UTF-8 offsets, line and column of the start from 1. */
export interface Span {
  /** @integer @minimum 0 */
  source: number;
  /** @integer @minimum 0 */
  start: number;
  /** @integer @minimum 0 */
  end: number;
  /** @integer @minimum 1 */
  line: number;
  /** @integer @minimum 1 */
  column: number;
}
