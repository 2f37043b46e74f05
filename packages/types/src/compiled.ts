import type { Coercer, HeaderWriter, Serializer, Validator } from "./codec.ts";

/** Radix tree of `.kit/routes/compiled-router.ts`. */
export interface CompiledRouteTree {
  /** Root node, for the path `/`. */
  readonly root: CompiledRouteNode;
  /** Counts of the tree, and the time of the build. */
  readonly metadata: {
    readonly totalRoutes: number;
    readonly maxDepth: number;
    readonly staticRoutes: number;
    readonly parameterizedRoutes: number;
    /** Time of the build, in ISO 8601. */
    readonly generatedAt: string;
  };
}

/** Node of the radix tree: one path segment. */
export interface CompiledRouteNode {
  /** Literal text of a static segment, `:` for a parameter, `*` for a wildcard, empty for the root. */
  readonly segment: string;
  /** Name of the parameter or wildcard. */
  readonly paramName?: string;
  /** Present on a wildcard, which matches the rest of the path. */
  readonly wildcard?: true;
  /** Routes that end at this node, by HTTP method. */
  readonly methods?: Readonly<
    Record<string, { readonly ref: string; readonly validators: readonly string[] }>
  >;
  /** Child nodes: static segments first, then the parameter, then the wildcard. */
  readonly children: readonly CompiledRouteNode[];
}

/** Entry of `.kit/routes/route-table.ts`. */
export interface RouteTableEntry {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Final path, such as `/notes/:id`. */
  readonly path: string;
  /** Names of the path parameters in order. */
  readonly params: readonly string[];
  /** Name of the type of the query. `null` if the route has none. */
  readonly querySchema: string | null;
  /** Names of the types of the headers and the cookies. Absent if the route has none. */
  readonly headersSchema?: string;
  readonly cookiesSchema?: string;
  /** Name of the type of the body. Absent if the route has none. */
  readonly bodySchema?: string;
  /** Name of the type of the response. `null` if the route has none. */
  readonly responseSchema: string | null;
  /** Names of the types of the replies' bodies, by status. Absent if the response is a plain type. */
  readonly replySchemas?: Readonly<Record<number, string | null>>;
  /** Format of the request body and of the response, such as `multipart`. Absent if the body is JSON. */
  readonly bodyFormat?: Exclude<CompiledBody["format"], "json"> | "socket";
  readonly responseFormat?: Exclude<CompiledContent["format"], "json"> | "socket";
  /** Formats of the replies that are not JSON, by status. Absent if there are none. */
  readonly replyFormats?: Readonly<Record<number, Exclude<CompiledContent["format"], "json">>>;
  /** Names of the middleware in order of execution. */
  readonly middleware: readonly string[];
}

/** Location of a handler in the source code. */
export interface CompiledHandler {
  /** Path of the file, relative to the project's root. */
  readonly file: string;
  /** Name of the export that contains the handler. */
  readonly export: string;
  /** Line number, from 1. */
  readonly line: number;
}

/** Data and functions with which the pipeline serves one route. */
export interface CompiledRoute {
  /** Method and final path, such as `GET /notes/:id`. `WS /rooms/:id` for a route that accepts WebSockets. */
  readonly ref: string;
  /** HTTP method in upper case. `GET` for a route that accepts WebSockets. */
  readonly method: string;
  /** Final path, with the prefix of the route group. */
  readonly path: string;
  /** Key in the handler map, as the contract group writes it: `GET /notes/:id`. */
  readonly key: string;
  /** Name of the contract group. */
  readonly group: string;
  /** HTTP status of a successful response. If the contract declares replies, the status of the first reply. */
  readonly status: number;
  /** Generated functions for params, query, body and response. `null` if the contract declares `void`. */
  readonly params: (Validator<unknown> & Pick<Required<Coercer>, "params">) | null;
  readonly query: (Validator<unknown> & Pick<Required<Coercer>, "query"> & Pick<Coercer, "keys">) | null;
  readonly body: Validator<unknown> | null;
  readonly response: Serializer<unknown> | null;
  /** Generated functions for request headers and cookies. Absent if the contract declares none. */
  readonly headers?: Validator<unknown> & Pick<Required<Coercer>, "headers">;
  readonly cookies?: Validator<unknown> & Pick<Required<Coercer>, "cookies">;
  /** Request body that is not JSON; then {@link CompiledRoute.body} is `null`. Absent if the body is JSON. */
  readonly bodyFormat?: CompiledBody;
  /** Response that is not JSON; then {@link CompiledRoute.response} is `null`. Absent if the response is JSON. */
  readonly responseFormat?: CompiledContent;
  /** Messages of a WebSocket. Absent if the route accepts no WebSockets. */
  readonly socket?: CompiledSocket;
  /** Replies that the contract declares, by status. Absent if the response is a plain type. */
  readonly replies?: Readonly<Record<number, CompiledReply>>;
  /** Replies that the wrappers of the route declare: by name of the wrapper, then by status. Absent if there are no wrappers. */
  readonly wrappers?: Readonly<Record<string, Readonly<Record<number, CompiledReply>>>>;
  /** Errors with declared details: the serializer of the details, by code. Absent if there are none. */
  readonly details?: Readonly<Record<string, Serializer<unknown>>>;
  /** Scopes that the caller must have. Absent if the contract requires none. */
  readonly scopes?: CompiledScopes;
  /** Headers of each response about the life of the route, such as `deprecation`. Absent if there are none. */
  readonly lifecycle?: Readonly<Record<string, string>>;
  /** Names of the compiled middleware chain, in order of execution. */
  readonly middleware: readonly string[];
  /** Locations in the source code, for error messages in development. Paths are relative to the project's root. */
  readonly source: {
    /** Location of the contract. */
    readonly contract: { readonly file: string; readonly line: number };
    /** Files that declare the types of the slots. */
    readonly schemas: Readonly<
      Partial<Record<"params" | "query" | "headers" | "cookies" | "body" | "response", string>>
    >;
    /** Location of the handler. `null` if the compiler could not read the application factory. */
    readonly handler: CompiledHandler | null;
    /**
     * Test files of the project that mention this route: by its key, by a path that it matches, or by the module of its
     * handler.
     */
    readonly tests: readonly string[];
  };
}

/** Scopes that a contract requires of its callers. */
export interface CompiledScopes {
  /** Lists of scopes. The caller must have all scopes of at least one list. */
  readonly anyOf: readonly (readonly string[])[];
  /** True if a middleware of the route accepts bearer tokens, so that refusals have a challenge (RFC 6750, 3). */
  readonly isBearer: boolean;
  /**
   * Name of the wrapper before which kit checks the scopes: the first one after all middleware that may add `ctx.auth`
   * whose name no earlier middleware has. Absent if there is no such wrapper. kit then checks the scopes after all
   * middleware.
   */
  readonly before?: string;
}

/** Request body that is not JSON, or a member of a union of formats. */
export interface CompiledBody {
  /** Format, by the name of its type in lower case. `oneof` for a union of formats, and `json` only in a union. */
  readonly format: "form" | "multipart" | "raw" | "chunks" | "text" | "bytes" | "lines" | "json" | "oneof";
  /** Media types or ranges that the request may have, in lower case: `image/png`, `image/*`. */
  readonly mediaTypes: readonly string[];
  /** Functions for the fields of a form, for the parts that are no files, or for one line. Absent if there are none. */
  readonly validator?: Validator<unknown>;
  /** Converts the text of a form, as {@link Coercer.query}. Present only if the format is `form`. */
  readonly form?: Required<Coercer>["query"];
  /** Converts the parts that are no files. Present only if the format is `multipart` and such parts exist. */
  readonly multipart?: Required<Coercer>["multipart"];
  /** Parts that are files. Present only if the format is `multipart`. */
  readonly files?: readonly CompiledFilePart[];
  /** Formats of a union, with distinct media types. Present only if the format is `oneof`. */
  readonly choices?: readonly CompiledBody[];
}

/** Part of a multipart body that is a file, or several files with one name. */
export interface CompiledFilePart {
  /** Name of the part. */
  readonly name: string;
  /** True if a request may omit the file. */
  readonly optional: boolean;
  /** True if the body may have several files with the name. */
  readonly many: boolean;
  /**
   * True if the handler reads the files while they arrive, from `Upload` and `Uploads`. At most one part of a body has this
   * property. Absent if the handler receives a `File`, or an array of them.
   */
  readonly streamed?: true;
  /** Minimum and maximum number of these files. Absent if there is no limit. */
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Maximum size of each file in bytes. Absent if only the limit of the body applies. */
  readonly maxBytes?: number;
  /** Media types or ranges that the file may have, in lower case. Absent if any type is allowed. */
  readonly mediaTypes?: readonly string[];
}

/** Response body that is not JSON, or a member of a union of formats. */
export interface CompiledContent {
  /** Format, by the name of its type in lower case. `oneof` for a union of formats, and `json` only in a union. */
  readonly format: "text" | "bytes" | "download" | "lines" | "events" | "json" | "oneof";
  /** Media type without parameters. In a union, the media type of the first format. */
  readonly mediaType: string;
  /** Writes the value. Present only if the format is `json`. */
  readonly json?: Serializer<unknown>;
  /** Formats of a union, with distinct media types, in the order of the contract. Present only if the format is `oneof`. */
  readonly choices?: readonly CompiledContent[];
  /** Writes one line. Present only if the format is `lines`. */
  readonly line?: Serializer<unknown>;
  /** Writes the data of each event, by its name. `null` if the event has no data. Present only if the format is `events`. */
  readonly events?: Readonly<Record<string, Serializer<unknown> | null>>;
}

/** Functions for the messages of a WebSocket. */
export interface CompiledSocket {
  /** Checks and decodes one JSON message from the client. `null` if the client sends no JSON. */
  readonly in: Validator<unknown> | null;
  /** Writes one JSON message for the client. `null` if the server sends no JSON. */
  readonly out: Serializer<unknown> | null;
  /** Kinds of messages in both directions. Absent if all messages are JSON. */
  readonly kinds?: MessageKinds;
  /** Subprotocols (RFC 6455, section 1.9). Absent if the contract names none. */
  readonly protocols?: CompiledProtocols;
}

/** Kinds of messages of a WebSocket: `json` and `text` in text messages, `bytes` in binary messages. */
export interface MessageKinds {
  /** Kinds of messages that the client sends. */
  readonly in: readonly MessageKind[];
  /** Kinds of messages that the server sends. */
  readonly out: readonly MessageKind[];
}

/** Kind of a message of a WebSocket. A direction has `json` or `text`, not both. */
export type MessageKind = "json" | "text" | "bytes";

/** Subprotocols of a WebSocket. */
export interface CompiledProtocols {
  /** Names that a client may offer. */
  readonly names: readonly string[];
  /** True if a client may offer none. */
  readonly optional: boolean;
}

/** Functions that write a reply of one status. */
export interface CompiledReply {
  /** Serializer of the body. `null` if the reply has no body, or a body that is not JSON. */
  readonly body: Serializer<unknown> | null;
  /** Body that is not JSON. Absent if the body is JSON, or if there is no body. */
  readonly content?: CompiledContent;
  /** Writer of the declared headers. `null` if the reply declares none. */
  readonly headers: HeaderWriter<unknown> | null;
}

/** Output of `kit build` for an application: the default export of `.kit/routes/index.ts`. */
export interface CompiledApplication {
  /** Version of this interface. The runtime refuses other versions. */
  readonly version: 1;
  /** Radix tree for matching paths. */
  readonly tree: CompiledRouteTree;
  /** Route table: entries by method and final path, such as `GET /notes/:id`. */
  readonly table: Readonly<Record<string, RouteTableEntry>>;
  /** Routes in the order of the program. The route numbers of {@link RouteMatch} are indexes into this list. */
  readonly routes: readonly CompiledRoute[];
  /** Names of all `@sensitive` properties and of their columns. Absent if there are none. */
  readonly sensitive?: readonly string[];
  /** Writes error bodies of the type that `defineErrorFormat` declares. Absent if the application declares none. */
  readonly errorBody?: Serializer<unknown>;
  /** Reads the OpenAPI document as a JSON string. */
  readonly openapi: () => Promise<string>;
  /** Reads the AsyncAPI document as JSON. Absent if the application has neither WebSockets nor events. */
  readonly asyncapi?: () => Promise<string>;
}

/** Reader of the environment variables: the default export of `.kit/environment.ts`. */
export interface CompiledEnvironment {
  /** Version of this interface. The runtime refuses other versions. */
  readonly version: 1;
  /** Location of the type, relative to the project's root. */
  readonly source: { readonly file: string; readonly line: number };
  /** Converts the texts of the variables. The argument returns the text of a variable by its name. */
  readonly read: Required<Coercer>["headers"];
  /** Checks the converted variables. */
  readonly validator: Validator<unknown>;
}

/** Validators and serializers of the jobs: the default export of `.kit/jobs.ts`. */
export interface CompiledJobs {
  /** Version of this interface. The runtime refuses other versions. */
  readonly version: 1;
  /** Location of the call of `createJobs`, relative to the project's root. */
  readonly source: { readonly file: string; readonly line: number };
  /** Names of all `@sensitive` properties and of their columns. Absent if there are none. */
  readonly sensitive?: readonly string[];
  /** Functions for the data of each job, by the name of the job. */
  readonly jobs: Readonly<Record<string, CompiledJob>>;
}

/** Functions for the data of a job. */
export interface CompiledJob {
  /** Checks and decodes the data. */
  readonly validator: Validator<unknown>;
  /** Writes the data as JSON. */
  readonly serializer: Serializer<unknown>;
}
