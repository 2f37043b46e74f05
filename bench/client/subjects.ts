/** Typed clients that are compared: for each, a module that declares `api`, and the syntax of a call. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const app: string = join(import.meta.dirname, "app");
export const peers: string = join(import.meta.dirname, "peers");

/** Route of the API: method `get` and path `/accounts/items/:id`. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** Client library that is measured. */
export interface Subject {
  readonly name: string;
  /** Returns the source of the module that declares the client `api`. */
  client(routes: readonly Route[]): string;
  /** Returns the source of a call that awaits the response and reads one of its properties, as a caller would. */
  call(route: Route): string;
  /** Start of a call, up to the position where a user would request completions of paths. */
  readonly path: string;
  /** True if the type of a response includes `undefined`. */
  readonly maybe?: boolean;
}

/** Returns the routes of the API, which its OpenAPI document lists. */
export function routes(): Route[] {
  const text = readFileSync(join(app, ".kit/schemas/openapi.json"), "utf8");
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => ({ method, path: path.replaceAll(/\{(\w+)\}/gu, ":$1") })),
  );
}

/** Returns the name of the type of each route's successful response, such as `Types.Note`. */
function answers(): ReadonlyMap<string, string> {
  const text = readFileSync(join(app, ".kit/schemas/openapi.json"), "utf8");
  interface Operation {
    responses: Record<string, { content?: Record<string, { schema: { $ref: string } }> }>;
  }
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> };
  const found = new Map<string, string>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(operations)) {
      const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
      const reference = success?.content?.["application/json"]?.schema.$ref;
      found.set(
        `${method} ${path.replaceAll(/\{(\w+)\}/gu, ":$1")}`,
        reference === undefined ? "null" : `Types.${reference.split("/").at(-1)!}`,
      );
    }
  }
  return found;
}

const template = (path: string): string => path.replaceAll(/:(\w+)/gu, "{$1}");
const takesId = (route: Route): boolean => route.path.includes(":id");
const takesBody = (route: Route): boolean => route.method === "post" || route.method === "patch";
/** Argument that fits the type of every body. The benchmark measures how long the type checker takes to find the types of a route. */
const body = "undefined as never";

export const subjects: readonly Subject[] = [
  {
    name: "kit",
    client: () =>
      'import { createClient } from "../../.kit/client/index.ts";\nexport const api = createClient({ baseUrl: "http://localhost" });\n',
    call(route) {
      const parts = [
        ...(takesId(route) ? ['params: { id: "1" }'] : []),
        ...(takesBody(route) ? [`body: ${body}`] : []),
      ];
      const input = parts.length === 0 ? "" : `, { ${parts.join(", ")} }`;
      return `await api.${route.method}("${route.path}"${input})`;
    },
    path: 'api.get("',
  },
  {
    name: "openapi-fetch",
    client() {
      execFileSync(
        process.execPath,
        [
          join(peers, "node_modules/openapi-typescript/bin/cli.js"),
          join(app, ".kit/schemas/openapi.json"),
          "--output",
          join(app, "src/clients/openapi-types.ts"),
        ],
        { stdio: ["ignore", "ignore", "inherit"] },
      );
      return 'import createClient from "../../../peers/node_modules/openapi-fetch/dist/index.mjs";\nimport type { paths } from "./openapi-types.ts";\nexport const api = createClient<paths>({ baseUrl: "http://localhost" });\n';
    },
    call(route) {
      const parts = [
        ...(takesId(route) ? ['params: { path: { id: "1" } }'] : []),
        ...(takesBody(route) ? [`body: ${body}`] : []),
      ];
      const input = parts.length === 0 ? "" : `, { ${parts.join(", ")} }`;
      return `(await api.${route.method.toUpperCase()}("${template(route.path)}"${input})).data`;
    },
    path: 'api.GET("',
    maybe: true,
  },
  {
    name: "hono",
    client(all) {
      const types = answers();
      const chain = all.map(
        (route) =>
          `  .${route.method}("${route.path}", (c) => c.json(answer as unknown as ${types.get(`${route.method} ${route.path}`)}))`,
      );
      return `import { Hono } from "../../../peers/node_modules/hono/dist/types/index.js";
import { hc } from "../../../peers/node_modules/hono/dist/types/client/index.js";
import type * as Types from "../../.kit/types.ts";
declare const answer: unknown;
const server = new Hono()
${chain.join("\n")};
export const api = hc<typeof server>("http://localhost");
`;
    },
    call(route) {
      const segments = route.path.split("/").filter((segment) => segment !== "");
      const way = segments.map((segment) => `["${segment}"]`).join("");
      const input = takesId(route) ? '{ param: { id: "1" } }' : "";
      return `await (await api${way}.$${route.method}(${input})).json()`;
    },
    path: "api.",
  },
];

/** Writes the module of a client, and a module that calls every route with this client. Returns the paths of the two modules, relative to the project. */
export function write(subject: Subject, all: readonly Route[]): { client: string; calls: string } {
  const directory = join(app, "src/clients");
  mkdirSync(directory, { recursive: true });
  const client = `src/clients/${subject.name}.ts`;
  writeFileSync(join(app, client), subject.client(all));
  const calls = `src/clients/${subject.name}.calls.ts`;
  const lines = all.map((route, index) => `export const answer${index} = ${subject.call(route)};`);
  writeFileSync(join(app, calls), `import { api } from "./${subject.name}.ts";\n${lines.join("\n")}\n`);
  return { client, calls };
}
