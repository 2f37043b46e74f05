import type { Coercer, Serializer, Validator } from "./codec.ts";

/** The radix tree of `.kit/routes/compiled-router.ts`. */
export interface CompiledRouteTree {
  readonly root: CompiledRouteNode;
  readonly metadata: {
    readonly totalRoutes: number;
    readonly maxDepth: number;
    readonly staticRoutes: number;
    readonly parameterizedRoutes: number;
    /** ISO 8601. */
    readonly generatedAt: string;
  };
}

/** One path segment. */
export interface CompiledRouteNode {
  /** Literal text of a static segment, `:` for a parameter, `*` for a wildcard, empty for the root. */
  readonly segment: string;
  /** Name of the parameter or wildcard. */
  readonly paramName?: string;
  /** Present on a wildcard: it takes the rest of the path. */
  readonly wildcard?: true;
  /** What is registered here, by HTTP method. */
  readonly methods?: Readonly<
    Record<string, { readonly ref: string; readonly validators: readonly string[] }>
  >;
  /** Static segments first, then the parameter, then the wildcard. */
  readonly children: readonly CompiledRouteNode[];
}

/** A row of `.kit/routes/route-table.ts`. */
export interface RouteTableEntry {
  readonly method: string;
  readonly path: string;
  readonly params: readonly string[];
  readonly querySchema: string | null;
  readonly bodySchema?: string;
  readonly responseSchema: string | null;
  readonly middleware: readonly string[];
}

/** Where a handler was written. */
export interface CompiledHandler {
  readonly file: string;
  readonly export: string;
  readonly line: number;
}

/** Everything the pipeline needs to serve one route. */
export interface CompiledRoute {
  /** `GET /notes/:id`, with the final path. */
  readonly ref: string;
  readonly method: string;
  /** Final path. */
  readonly path: string;
  /** The key in the handler map: `GET /notes/:id` as the contract group writes it. */
  readonly key: string;
  /** Name of the contract group. */
  readonly group: string;
  /** Status of a successful response. */
  readonly status: number;
  /** Slots; `null` is `void`. */
  readonly params: (Validator<unknown> & Pick<Required<Coercer>, "params">) | null;
  readonly query: (Validator<unknown> & Pick<Required<Coercer>, "query"> & Pick<Coercer, "keys">) | null;
  readonly body: Validator<unknown> | null;
  readonly response: Serializer<unknown> | null;
  /** Names of the compiled middleware chain, in order. */
  readonly middleware: readonly string[];
  /** Where things are, for error messages in development; paths relative to the project's root. */
  readonly source: {
    /** The contract. */
    readonly contract: { readonly file: string; readonly line: number };
    /** The files that declare the slots' types. */
    readonly schemas: Readonly<Partial<Record<"params" | "query" | "body" | "response", string>>>;
    /** The handler, where the application factory could be read. */
    readonly handler: CompiledHandler | null;
    /** Tests of the project that mention this route, by its key, a path that it answers, or the module of its handler. */
    readonly tests: readonly string[];
  };
}

/** The default export of `.kit/routes/index.ts`: what `kit build` made of an application. */
export interface CompiledApplication {
  /** Version of this interface; the runtime refuses another one. */
  readonly version: 1;
  readonly tree: CompiledRouteTree;
  /** By ref. */
  readonly table: Readonly<Record<string, RouteTableEntry>>;
  /** In the order of the program; indexes are the route numbers of {@link RouteMatch}. */
  readonly routes: readonly CompiledRoute[];
  /** Names of all properties that are `@sensitive`, and of their columns; absent where there are none. */
  readonly sensitive?: readonly string[];
  /** Reads the OpenAPI document's text. */
  readonly openapi: () => Promise<string>;
}
