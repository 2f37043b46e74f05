import type {
  CompiledApplication,
  CompiledRoute,
  CompiledRouteNode,
  CompiledRouteTree,
  HeaderWriter,
  Serializer,
  ValidationFailure,
  Validator,
} from "@kit/types";

/** Types of an object's fields, as `typeof` returns them. `?` at the end makes a field optional. */
type Fields = Readonly<Record<string, "string" | "number" | "string?" | "number?">>;

/** Creates a validator of flat objects, like those of the compiler. */
export function objectOf(name: string, fields: Fields): Validator<unknown> {
  const failures = (value: unknown): ValidationFailure[] => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return [
        { path: "$", expected: "object", received: typeof value, value, rule: "type", limit: "object" },
      ];
    }
    return Object.entries(fields).flatMap(([key, kind]): ValidationFailure[] => {
      const item = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
      const expected = kind.replace("?", "");
      if (typeof item === expected || (item === undefined && kind.endsWith("?"))) return [];
      const at = { path: `$.${key}`, expected };
      if (item === undefined) {
        const suggestion = `Add ${key}`;
        return [{ ...at, received: "nothing", value: null, rule: "required", suggestion }];
      }
      const suggestion = `Send a ${expected}`;
      return [{ ...at, received: typeof item, value: item, rule: "type", limit: expected, suggestion }];
    });
  };
  const decode = (value: unknown): unknown =>
    Object.fromEntries(
      Object.keys(fields)
        .filter((key) => Object.hasOwn(value as object, key))
        .map((key) => [key, (value as Record<string, unknown>)[key]]),
    );
  return { name, is: (value) => failures(value).length === 0, failures, decode };
}

/** Creates the generated functions for path parameters. */
export function paramsOf(name: string, fields: Fields): NonNullable<CompiledRoute["params"]> {
  const names = Object.keys(fields);
  return {
    ...objectOf(name, fields),
    params: (values) =>
      Object.fromEntries(names.map((key, index) => [key, toValue(fields[key]!, values[index]!)])),
  };
}

/** Creates the generated functions for a query. */
export function queryOf(name: string, fields: Fields): NonNullable<CompiledRoute["query"]> {
  return {
    ...objectOf(name, fields),
    keys: Object.keys(fields),
    query: (query) =>
      Object.fromEntries(
        [...new URLSearchParams(query)]
          .filter(([key]) => Object.hasOwn(fields, key))
          .map(([key, text]) => [key, toValue(fields[key]!, text)]),
      ),
  };
}

/** Creates the generated functions for request headers. */
export function headersOf(name: string, fields: Fields): NonNullable<CompiledRoute["headers"]> {
  return {
    ...objectOf(name, fields),
    headers: (read) => present(fields, (key) => read(key)),
  };
}

/** Creates the generated functions for cookies. The values are not decoded, unless they contain `%00`. */
export function cookiesOf(name: string, fields: Fields): NonNullable<CompiledRoute["cookies"]> {
  return {
    ...objectOf(name, fields),
    cookies: (header = "") => {
      const pairs = header.split(";").map((pair) => pair.trim().split("=") as [string, string]);
      return present(fields, (key) => pairs.find(([found]) => found === key)?.[1].replace("%00", "\0"));
    },
  };
}

function present(fields: Fields, read: (key: string) => string | undefined): Record<string, unknown> {
  const entries = Object.entries(fields).flatMap(([key, kind]): [string, unknown][] => {
    const text = read(key);
    return text === undefined ? [] : [[key, toValue(kind, text)]];
  });
  return Object.fromEntries(entries);
}

/** Creates a writer of headers. A value with a line break is refused, like in generated code. */
export function headerWriterOf(name: string, fields: Fields): HeaderWriter<unknown> {
  const { failures } = objectOf(name, fields);
  const write = (value: unknown): string[] =>
    Object.keys(fields).flatMap((key) => {
      const item = (value as Record<string, unknown>)[key];
      if (item === undefined) return [];
      const text = String(item);
      if (/[\r\n]/.test(text)) throw new TypeError(`${name} cannot be written: $.${key} has a line break`);
      return [key, text];
    });
  return { name, write, failures };
}

function toValue(kind: string, text: string): unknown {
  return kind.startsWith("number") && text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Creates a serializer of flat objects. */
export function responseOf(name: string, fields: Fields): Serializer<unknown> {
  const { failures, decode } = objectOf(name, fields);
  const serialize = (value: unknown): string => {
    if (typeof value !== "object" || value === null)
      throw new TypeError(`$: ${String(value)} has no JSON form`);
    return JSON.stringify(decode(value));
  };
  return { name, serialize, failures };
}

/** Creates a compiled route. Its params, query, body and response are `void` unless they are given. */
export function route(
  ref: string,
  parts: Partial<
    Pick<
      CompiledRoute,
      | "params"
      | "query"
      | "headers"
      | "lifecycle"
      | "cookies"
      | "body"
      | "bodyFormat"
      | "response"
      | "responseFormat"
      | "replies"
      | "wrappers"
      | "details"
      | "socket"
      | "scopes"
      | "status"
      | "middleware"
      | "source"
    >
  > = {},
): CompiledRoute {
  const [method = "", path = ""] = ref.split(" ");
  return {
    ref,
    method: httpMethod(method),
    path,
    key: ref,
    group: "Routes",
    status: (parts.response ?? null) === null ? 204 : method === "POST" ? 201 : 200,
    params: null,
    query: null,
    body: null,
    response: null,
    middleware: [],
    source: {
      contract: { file: "src/notes.routes.ts", line: 7 },
      schemas: { body: "src/notes.types.ts" },
      handler: { file: "src/notes.handlers.ts", export: "noteHandlers", line: 21 },
      tests: ["tests/notes.contract.test.ts"],
    },
    ...parts,
  };
}

/** Returns the HTTP method of a route key. The handshake of a WebSocket is a GET request. */
function httpMethod(method: string): string {
  return method === "WS" ? "GET" : method;
}

/** Creates a compiled application. */
export function compiled(...routes: readonly CompiledRoute[]): CompiledApplication {
  return {
    version: 1,
    tree: treeOf(routes.map(({ ref }) => ref)),
    table: {},
    routes,
    openapi: () => Promise.resolve(`{"openapi":"3.1.0"}`),
  };
}

interface OpenNode extends CompiledRouteNode {
  methods: Record<string, { ref: string; validators: string[] }>;
  children: OpenNode[];
}

/** Creates the tree of routes, which are given by their refs: `GET /notes/:id`. */
export function treeOf(refs: readonly string[]): CompiledRouteTree {
  const routes = refs.map((ref) => {
    const [method = "", path = ""] = ref.split(" ");
    return { ref, method: httpMethod(method), path };
  });
  const root: OpenNode = { segment: "", methods: {}, children: [] };
  for (const { method, path, ref } of routes) {
    let node = root;
    for (const part of path.split("/").filter((text) => text !== "")) {
      const kind = part.startsWith(":") || part.startsWith("*") ? part[0]! : part;
      let child = node.children.find(({ segment }) => segment === kind);
      if (child === undefined) {
        child = {
          segment: kind,
          methods: {},
          children: [],
          ...(kind !== part && { paramName: part.slice(1) }),
          ...(kind === "*" && { wildcard: true }),
        };
        node.children.push(child);
        const rank = ({ segment }: OpenNode): number => (segment === "*" ? 2 : segment === ":" ? 1 : 0);
        node.children.sort((one, other) => rank(one) - rank(other));
      }
      node = child;
    }
    node.methods[method] = { ref, validators: [] };
  }
  const metadata = {
    totalRoutes: routes.length,
    maxDepth: Math.max(0, ...routes.map(({ path }) => path.split("/").length - 1)),
    staticRoutes: routes.filter(({ path }) => !/[:*]/.test(path)).length,
    parameterizedRoutes: routes.filter(({ path }) => /[:*]/.test(path)).length,
    generatedAt: "2026-01-01T00:00:00.000Z",
  };
  return { root, metadata };
}
