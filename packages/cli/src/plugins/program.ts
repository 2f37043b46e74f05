/**
 * Compiled application, as plugins get it. `version` changes if the meaning of a property changes. Numbers such as `TypeId` are indexes
 * into the lists of {@link Program}.
 */
export interface Program {
  version: 2;
  /** Source files. */
  sources: { path: string }[];
  /** All types. They refer to each other by their index. */
  types: Type[];
  /** All named types. A type can contain itself only through a named type. */
  declarations: Declaration[];
  /** Types that are stored in the database. */
  entities: Entity[];
  routes: Route[];
  /** Contract groups of the routes, in order of first use. */
  groups?: ContractGroup[];
  application: Application;
}

/** Index into `types`. @integer @minimum 0 */
export type TypeId = number;
/** Index into `declarations`. @integer @minimum 0 */
export type DeclarationId = number;

/** Type with the rules that its values satisfy. */
export type Type = TypeKind & {
  constraints?: Constraints;
  /** True if a handler's value is an object whose method `toJSON` returns the value on the wire, which the type describes. */
  callsToJson?: true;
};

/** Structure of a type. */
export type TypeKind =
  | { kind: "unknown" | "never" | "null" | "boolean" | "number" | "string" | "bigInt" | "date" | "bytes" }
  | { kind: "literal"; value: LiteralValue }
  | { kind: "template"; parts: TemplatePart[] }
  | { kind: "array"; element: TypeId }
  | { kind: "tuple"; elements: TupleElement[] }
  | { kind: "object"; properties: Property[]; index?: IndexSignature[] }
  | { kind: "union"; members: TypeId[] }
  | { kind: "reference"; declaration: DeclarationId };

/** Value of a literal type, such as `"open"` or `1`. A bigint is a string of digits. */
export type LiteralValue =
  | { type: "string" | "bigInt"; value: string }
  | { type: "number"; value: number }
  | { type: "boolean"; value: boolean };

/** Part of a template literal type: fixed text, or the type of the values of a hole. */
export type TemplatePart = { part: "text"; value: string } | { part: "hole"; value: TypeId };

export interface TupleElement {
  type: TypeId;
  optional: boolean;
  rest: boolean;
  label?: string;
}

/** Types of the keys and values of properties that are not declared by name. */
export interface IndexSignature {
  key: { kind: "string" } | { kind: "number" } | { kind: "template"; parts: TemplatePart[] };
  /** Rules for each key that the signature accepts. */
  rules?: Constraints;
  value: TypeId;
}

/**
 * Rules of a type. Each rule applies only to some kinds of types: `minLength` applies to strings. Lengths are numbers of Unicode code
 * points.
 */
export interface Constraints {
  /** @integer @minimum 0 */
  minLength?: number;
  /** @integer @minimum 0 */
  maxLength?: number;
  format?: "email" | "uri" | "uuid" | "date" | "date-time" | "ipv4" | "ipv6";
  /** Pattern as an ECMA-262 regular expression. The pattern is not anchored: it may match a part of the string. */
  pattern?: string;
  /** Digits of a `Decimal<precision, scale>`, whose `pattern` checks the string. */
  digits?: { precision: number; scale: number };
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

/** Property of an object type. */
export interface Property {
  name: string;
  type: TypeId;
  optional: boolean;
  documentation: Documentation;
  tags: PropertyTags;
  span: Span;
}

/** Documentation of a type, property or route. */
export interface Documentation {
  /** Description in Markdown. */
  description?: string;
  /** Reason of the deprecation, or an empty string. */
  deprecated?: string;
  /** Examples, as JSON. */
  examples?: string[];
}

/** Doc tags of a property, such as `@id` and `@unique`. */
export interface PropertyTags {
  id?: boolean;
  generated?: "uuid" | "uuidV7" | "now" | "unspecified";
  onUpdateNow?: boolean;
  default?:
    | { kind: "literal"; value: LiteralValue }
    | { kind: "null" | "now" }
    | { kind: "json"; value: string };
  unique?: boolean;
  index?: boolean;
  /** True with `@index none`: a foreign key has no index on purpose. */
  noIndex?: boolean;
  indexes?: EntityIndex[];
  checks?: string[];
  sensitive?: boolean;
  references?: {
    entity: string;
    property: string;
    onDelete: ReferentialAction;
    /** Absent for `noAction`. */
    onUpdate?: ReferentialAction;
  };
  column?: string;
  storedAs?: "smallInt" | "integer" | "date" | "array" | "citext" | "enum";
  enumType?: string;
  renamedFrom?: string;
}

/** Effect of a change of a row on the rows that refer to the row. */
export type ReferentialAction = "noAction" | "cascade" | "setNull" | "restrict";

/** Index of an entity. */
export interface EntityIndex {
  /** Absent for an index of one property, whose name kit derives. */
  name?: string;
  unique?: boolean;
  columns: {
    /** Absent in a tag of the property itself. */
    property?: string;
    operatorClass?: string;
    descending?: boolean;
    nulls?: "first" | "last";
  }[];
  method?: "gin" | "gist" | "brin" | "hash";
  include?: string[];
  /** Condition in SQL. */
  condition?: string;
}

/** Named type. */
export interface Declaration {
  /** Unique identifier in PascalCase, which the names of generated files contain. */
  name: string;
  /** Definition of the type. The definition is never a reference alone. */
  type: TypeId;
  origin:
    | { origin: "named"; export: string }
    | { origin: "instance"; expression: string }
    | { origin: "slot" };
  documentation: Documentation;
  span: Span;
}

/** Declaration whose values are stored in a table. */
export interface Entity {
  declaration: DeclarationId;
  table: string;
  renamedFrom?: string;
  /** Indexes of the table that have a name. */
  indexes?: EntityIndex[];
  /** Checks of the table: the name of each, with its condition in SQL. */
  checks?: [string, string][];
  /** References by several properties. */
  references?: {
    properties: string[];
    entity: string;
    targets: string[];
    onDelete: ReferentialAction;
    /** Absent for `noAction`. */
    onUpdate?: ReferentialAction;
  }[];
  /** Property whose value is the tenant of a row. */
  tenant?: string;
  /** Unique constraints of the table: the name of each, with the names of its properties. */
  uniques?: [string, string[]][];
  /** Value of `@owner`: the rows that a request may read and change. `context` is a path below `ctx`: `userId`, `user.id`. */
  owner?: { kind: "none" } | { kind: "property"; property: string; context: string };
}

/** Route of the application. */
export interface Route {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** Complete path pattern, with the group's prefix. */
  path: string;
  /** Key of the route in its contract group. */
  key: string;
  /** Name of the contract group. */
  group: string;
  /** Names of the path parameters. */
  parameters: string[];
  /** Types of the contract's slots. */
  slots: Slots;
  /**
   * Status of a successful response. If the contract declares replies, the status of the first reply.
   * @integer @minimum 200 @maximum 399
   */
  status: number;
  /** Replies of the contract, each with its own status. Absent if the response is a plain type, `slots.response`. */
  replies?: DeclaredReply[];
  /**
   * Wrappers among the middleware, in the order in which they run, with the replies that each may send, and the codes of the errors that
   * it declares and the contract does not.
   */
  wrappers?: { name: string; replies?: DeclaredReply[]; errors?: string[] }[];
  /** Name of the operation in generated code. */
  operation?: string;
  /** Dates of the route, as `2026-01-31`, and the path or URL of its successor. */
  lifecycle?: { deprecatedSince?: string; sunset?: string; successor?: string };
  /** Limits of this route alone. */
  limits?: RouteLimits;
  summary?: string;
  tags?: string[];
  subprotocols?: { names: string[]; optional?: boolean };
  throws?: { code: string; status: number; description?: string; details?: DeclarationId }[];
  documentation: Documentation;
  /** Names of the middleware, in the order in which they run. */
  middleware: string[];
  /** Credentials that the middleware requires. A request needs one credential of each inner list. */
  security?: Security[][];
  /** Scopes that the caller must have: all scopes of one inner list. */
  scopes?: string[][];
  /** Middleware that adds `ctx.auth`. Absent if the contract requires no scopes, or if kit does not know the middleware. */
  authenticator?: string;
  /** Wrapper before which the scopes are checked. Absent if they are checked after all middleware. */
  scopesBefore?: string;
  handler?: { export: string; span: Span };
  /** Test files that mention the route. */
  tests?: string[];
  span: Span;
}

/** Types of a contract's slots; null or absent stands for `void`. */
export interface Slots {
  params: DeclarationId | null;
  query: DeclarationId | null;
  headers?: DeclarationId;
  cookies?: DeclarationId;
  body: DeclarationId | null;
  response: DeclarationId | null;
}

/** Reply of a contract. A type that is absent stands for `void`. */
export interface DeclaredReply {
  /** @integer @minimum 200 @maximum 399 */
  status: number;
  body?: DeclarationId;
  headers?: DeclarationId;
}

/** Limits of one route, which replace the limits of the application. */
export interface RouteLimits {
  /** Maximum size of the request body in bytes. @integer @minimum 0 */
  bodyBytes?: number;
  /** Maximum duration of a request in milliseconds; 0 for no limit. @integer @minimum 0 */
  timeoutMs?: number;
  /** Milliseconds without bytes of a WebSocket's client after which the server sends a ping. @integer @minimum 1 */
  socketPingMs?: number;
  /** True if the server may compress messages of WebSockets. */
  socketCompression?: boolean;
}

/** Contract group: an interface whose keys are routes. */
export interface ContractGroup {
  /** Name as in `Route.group`. */
  name: string;
  documentation: Documentation;
}

/** Credentials that a middleware requires of a request. */
export interface Security {
  /** Part of the request that contains the credentials. */
  scheme:
    | { kind: "bearer"; format?: string }
    | { kind: "basic" }
    | { kind: "header" | "cookie" | "query"; name: string };
  description?: string;
}

/** Options of the application's call of `createApp` or `declareApi`. */
export interface Application {
  span?: Span;
  /** True if `declareApi` declares the application, whose handlers are not written in TypeScript. */
  isDeclared?: boolean;
  middleware: {
    name: string;
    priority: number;
    kind: "global" | "route" | "registered" | "built-in";
    /** Accepted credentials. A request needs the credentials of one entry. */
    security?: Security[];
    /** Paths in `ctx` that the middleware adds and that an `@owner` tag names, such as `user.id`. */
    adds?: string[];
    /** True if the middleware is created with `defineWrapper` or `declareWrapper`. */
    isWrapper?: boolean;
    span: Span;
  }[];
  cors?: CorsOption;
  securityHeaders?: SecurityHeadersOption;
  errors?: ErrorsOption;
  /** Type of the variables that the application reads with `env`. Absent if it does not call this function. */
  environment?: EnvironmentVariables;
  compression?: LiteralOption;
  etag?: LiteralOption;
  staticFiles?: LiteralOption;
  requestLog?: LiteralOption;
  csrf?: LiteralOption;
  limits?: LiteralOption;
  /** The option `tls` of a call of `listen`. A path that is known only when the application runs is null. */
  tls?: LiteralOption;
}

/** Type of the environment variables. */
export interface EnvironmentVariables {
  /** Number of the declaration: an object with one property for each variable. */
  declaration: number;
  /** Location of the first call of `env`. */
  span: Span;
}

/** Option `cors` of `createApp`. */
export interface CorsOption {
  /** Value of the option. Absent if the value is known only when the application runs. */
  rules?: {
    /** Allowed origins. Absent if every origin is allowed. Empty if `originsVariable` names the variable with the origins. */
    origins?: string[];
    /** Environment variable with the origins, if the application reads them with `env`. */
    originsVariable?: string;
    credentials: boolean;
    /** Request headers that pages may set. Absent if pages may set every header. */
    allowedHeaders?: string[];
    exposedHeaders?: string[];
    /** @integer @minimum 0 */
    maxAgeSeconds?: number;
  };
  span: Span;
}

/** Option `securityHeaders` of `createApp`, if it is on. */
export interface SecurityHeadersOption {
  /**
   * Values of headers by the names of their options. `null` leaves out a header; an absent name means the default. `values` is absent if
   * a value is known only when the application runs.
   */
  values?: Record<string, string | null>;
  span: Span;
}

/** Option `errors` of `createApp`. */
export interface ErrorsOption {
  /** Value of the option. Absent if the value is known only when the application runs. */
  rules?: {
    format: ErrorFormat;
    /** Status of responses to requests that break their contract. */
    validationStatus: 400 | 422;
  };
  span: Span;
}

/** Format of error bodies. */
export type ErrorFormat =
  | { kind: "envelope" }
  | { kind: "problem-details" }
  | {
      /** Format of `defineErrorFormat`. */
      kind: "declared";
      /**
       * Index of the body's type in `declarations`.
       *
       * @integer @minimum 0
       */
      body: number;
      contentType: string;
      /** Paths of values in the body, as the names of nested properties. */
      paths?: { code?: string[]; message?: string[]; details?: string[]; traceId?: string[] };
    };

/** Option that is on, and whose value is `true` or an object of literals. */
export interface LiteralOption {
  /** Value of the option. Absent if a part of the value is known only when the application runs. */
  value?: unknown;
  span: Span;
}

/**
 * Range in a source file. `source` is an index into `sources`, `start` and `end` are UTF-8 offsets, and `line` and `column` are the
 * position of the start, from 1.
 */
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
