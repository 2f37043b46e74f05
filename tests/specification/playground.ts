// An application without a database, with routes for statements about matching, coercion, formats, middleware, errors, logs and spans.

const packageJson = JSON.stringify({
  name: "playground",
  version: "1.0.0",
  private: true,
  type: "module",
  kit: { database: { adapter: "raw" } },
  dependencies: { "@kit/core": "0.1.0", "@kit/errors": "0.1.0", "@kit/types": "0.1.0" },
  devDependencies: { "@kit/cli": "0.1.0", "@kit/client": "0.1.0", "@kit/testing": "0.1.0" },
});

const types = `/** @table */
export interface SmallThing {
  /** @id @generated uuid */
  id: string;
  /** Several tags of one comment. @minLength 2 @maxLength 5 @unique */
  name: string;
  /** @default 3 */
  count: number;
  note?: string;
  /** @generated @integer */
  serial: number;
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

export type NewThing = Omit<SmallThing, "id" | "serial" | "createdAt" | "updatedAt">;
export type ThingPatch = Partial<NewThing>;
export type ThingName = Pick<SmallThing, "name">;

export interface Formats {
  /** @format email */
  email?: string;
  /** @format email @maxLength 255 */
  longEmail?: string;
  /** @format uri */
  uri?: string;
  /** @format uuid */
  uuid?: string;
  /** @format date */
  date?: string;
  /** @format date-time */
  "date-time"?: string;
  /** @format ipv4 */
  ipv4?: string;
  /** @format ipv6 */
  ipv6?: string;
}

export interface TypedParams {
  count: number;
  flag: boolean;
}

export interface TypedQuery {
  limit?: number;
  since?: Date;
}

/** Types of the params and query that a handler was given, as typeof names them. */
export interface Given {
  params: string;
  query: string;
}

export interface Matched {
  route: string;
  value: string;
}

export interface Seen {
  words: string[];
}

export interface Order {
  items: { quantity: number }[];
}
`;

const routes = `import type { RouteContract } from "@kit/types";
import type { Formats, Given, Matched, NewThing, Order, Seen, ThingName, ThingPatch, TypedParams, TypedQuery } from "./things.types.ts";

export interface ThingRoutes {
  "POST /things": RouteContract<void, void, NewThing, NewThing>;
  "PUT /things": RouteContract<void, void, ThingPatch, ThingPatch>;
  "POST /names": RouteContract<void, void, ThingName, ThingName>;
  "POST /formats": RouteContract<void, void, Formats, Formats>;
  "POST /orders": RouteContract<void, void, Order, Order>;
  "GET /typed/:count/:flag": RouteContract<TypedParams, TypedQuery, void, Given>;
  "GET /files/upload": RouteContract<void, void, void, Matched>;
  "GET /files/:filename": RouteContract<{ filename: string }, void, void, Matched>;
  "PUT /files/:filename": RouteContract<{ filename: string }>;
  "GET /deep/known": RouteContract<void, void, void, Matched>;
  "GET /deep/*rest": RouteContract<{ rest: string }, void, void, Matched>;
  "GET /fail/:how": RouteContract<{ how: string }, void, void, Seen>;
  "GET /context": RouteContract<void, void, void, Seen>;
  "GET /log": RouteContract<void, void, void, void>;
  "GET /wrong-answer": RouteContract<void, void, void, Matched>;
  "GET /nothing": RouteContract;
  "GET /slash/": RouteContract;
}

export interface AdminRoutes {
  "GET /users": RouteContract<void, void, void, Seen>;
  "GET /admin/roles": RouteContract<void, void, void, Seen>;
}
`;

const handlers = `import { defineHandlers } from "@kit/core";
import { AppError, ConflictError, ForbiddenError, NotFoundError, UnauthorizedError, ValidationError } from "@kit/errors";
import type { Trail } from "./middleware.ts";
import type { AdminRoutes, ThingRoutes } from "./things.routes.ts";

const failures: Record<string, () => Error> = {
  app: () => new AppError("OUT_OF_TEA", 418, "There is no tea", { pot: "empty" }),
  "not-found": () => new NotFoundError("NOT_FOUND", "No route matches this path"),
  validation: () => new ValidationError("VALIDATION_ERROR", "It does not fit"),
  unauthorized: () => new UnauthorizedError("UNAUTHORIZED", "Who are you?"),
  forbidden: () => new ForbiddenError("TEAM_FULL", "The team is full"),
  conflict: () => new ConflictError("CONFLICT", "It is there already"),
  unknown: () => new TypeError("the secret cause"),
};

/** Number of requests that went on after ctx.fail. */
let wentOn = 0;

export const thingHandlers = defineHandlers<ThingRoutes, Trail>({
  "POST /things": ({ body }) => body,
  "PUT /things": ({ body }) => body,
  "POST /names": ({ body }) => body,
  "POST /formats": ({ body }) => body,
  "POST /orders": ({ body }) => body,
  "GET /typed/:count/:flag": ({ params, query }) => ({
    params: typeof params.count + " " + typeof params.flag,
    query: typeof query.limit + " " + (query.since instanceof Date ? "Date" : typeof query.since),
  }),
  "GET /files/upload": () => ({ route: "static", value: "" }),
  "GET /files/:filename": ({ params }) => ({ route: "parameter", value: params.filename }),
  "PUT /files/:filename": () => {},
  "GET /deep/known": () => ({ route: "static", value: "" }),
  "GET /deep/*rest": ({ params }) => ({ route: "wildcard", value: params.rest }),
  "GET /fail/:how": ({ params, ctx }) => {
    if (params.how === "count") return { words: [String(wentOn)] };
    if (params.how === "fail") {
      ctx.fail(409, "ALREADY_MEMBER", "Ada is a member", { user: "ada" });
      wentOn += 1;
    }
    throw failures[params.how]!();
  },
  "GET /context": ({ ctx }) => {
    ctx.span?.setAttribute("playground.answer", 42);
    return { words: ctx.trail };
  },
  "GET /log": ({ ctx }) => {
    for (const level of ["trace", "debug", "info", "warn", "error", "fatal"] as const)
      ctx.log[level]("at " + level, { level, card: { pin: "4711" } });
    ctx.log.info("without data");
  },
  "GET /wrong-answer": () => ({ route: "wrong", value: 5 }) as never,
  "GET /nothing": () => {},
  "GET /slash/": () => {},
});

export const adminHandlers = defineHandlers<AdminRoutes, Trail>({
  "GET /users": ({ ctx }) => ({ words: ctx.trail }),
  "GET /admin/roles": ({ ctx }) => ({ words: ctx.trail }),
});
`;

const middleware = `import { defineMiddleware } from "@kit/core";

/** The names of the middleware that ran, in order. */
export interface Trail {
  trail: string[];
}

export const first = defineMiddleware<Trail>(() => ({ trail: ["first"] }));

const add = (name: string) => ({
  name,
  middleware: defineMiddleware(({ ctx }) => {
    (ctx as unknown as Trail).trail.push(name);
  }),
});

export const inner = add("inner").middleware;
export const outer = add("outer").middleware;
`;

const app = `import { createApp } from "@kit/core";
import { debugPlugin } from "@kit/plugin-debug";
import { adminHandlers, thingHandlers } from "./things.handlers.ts";
import { first, inner, outer } from "./middleware.ts";

const adapters: Record<string, () => Promise<() => never>> = {
  native: async () => (await import("@kit/server-native")).nativeServer as () => never,
  express: async () => (await import("@kit/server-express")).expressServer as () => never,
  fastify: async () => (await import("@kit/server-fastify")).fastifyServer as () => never,
  hono: async () => (await import("@kit/server-hono")).honoServer as () => never,
};
const makeServer = await adapters[process.env["ADAPTER"]!]!();
const sidecar = process.env["SIDECAR"];
const more = JSON.parse(process.env["APP"]!) as { start?: boolean; logging?: object };

export const app = createApp({
  server: makeServer(),
  middleware: [
    { name: "outer", middleware: outer, priority: 20 },
    { name: "first", middleware: first, priority: 1 },
  ],
  routes: [
    { prefix: "/", handlers: thingHandlers },
    {
      prefix: "/admin",
      handlers: adminHandlers,
      middleware: [{ name: "inner", middleware: inner, priority: 10 }],
    },
  ],
  plugins: sidecar === undefined ? [] : [debugPlugin(JSON.parse(sidecar))],
  logging: { level: "info", redact: ["*.pin"], ...more.logging },
});
`;

const main = `import { app } from "./app.ts";

const more = JSON.parse(process.env["APP"]!) as { start?: boolean };
const address = { port: Number(process.env["PORT"]), host: "127.0.0.1" };
const { url } = await (more.start ? app.start(address) : app.listen(address));
console.log("native server: " + typeof app.getNativeServer());
console.log("Listening on " + url);
`;

/** Module named like a route in frameworks with file-based routes. */
const hello = `export const GET = () => new Response("hello");
export default GET;
`;

const typesOfCore = `import type { HandlerInput, RequestContext } from "@kit/core";
import type { ThingRoutes } from "./things.routes.ts";

type Upload = HandlerInput<ThingRoutes["GET /files/upload"]>;
type Typed = HandlerInput<ThingRoutes["GET /typed/:count/:flag"], { userId: string }>;

export const contextOf = (input: Upload): RequestContext => input.ctx;
export const paramsOf = ({ params }: Typed): { count: number; flag: boolean } => params;
export const sinceOf = ({ query }: Typed): Date | undefined => query.since;
export const userOf = ({ ctx }: Typed): string => ctx.userId;
`;

const typesOfTypes = `import type {
  CompiledRouteNode,
  CompiledRouteTree,
  RouteContract,
  RouteTableEntry,
  ServerAdapter,
} from "@kit/types";

export const rootOf = (tree: CompiledRouteTree): CompiledRouteNode => tree.root;
export const methodOf = (entry: RouteTableEntry): string => entry.method;
export const nameOf = (adapter: ServerAdapter): string => adapter.name;

/** All four parameters default to void. */
export const empty = (contract: RouteContract): [void, void, void, void] => [
  contract.params,
  contract.query,
  contract.body,
  contract.response,
];
export const slots = (contract: RouteContract<{ id: string }, { page?: number }, string, boolean>): [string, string, boolean] => [
  contract.params.id,
  contract.body,
  contract.response,
];
`;

/** Files of the playground: contents by path. */
export const playgroundFiles: Readonly<Record<string, string>> = {
  "package.json": packageJson,
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      target: "es2024",
      module: "nodenext",
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ["node"],
    },
    include: ["src"],
  }),
  "src/things.types.ts": types,
  "src/things.routes.ts": routes,
  "src/things.handlers.ts": handlers,
  "src/middleware.ts": middleware,
  "src/app.ts": app,
  "src/main.ts": main,
  "src/routes/hello.ts": hello,
  "src/types-of-core.ts": typesOfCore,
  "src/types-of-types.ts": typesOfTypes,
};
