import { errorMiddlewareMark } from "../error-middleware.ts";
import type { AnyHandlers } from "../request/handlers.ts";
import type { AnyMiddleware, MiddlewareItem } from "../request/middleware.ts";
import type { RouteGroup } from "./options.ts";
import { joinPath, parseRouteKey } from "../router/route-path.ts";
import { suggestName } from "./suggestion.ts";

/** Middleware that was registered with `createApp`. */
export interface RegisteredMiddleware {
  /** Name of the middleware. `undefined` for a bare function: the name of its variable is unknown at run time. */
  readonly name: string | undefined;
  readonly priority: number;
  readonly run: AnyMiddleware;
}

/** Route that was registered with `createApp`. */
export interface RegisteredRoute {
  /** Method and final path: `GET /notes/:id`. */
  readonly ref: string;
  readonly handler: AnyHandlers[string];
  /** Middleware in order of execution. */
  readonly chain: readonly RegisteredMiddleware[];
}

/**
 * Reads the registered routes and middleware.
 *
 * @throws {TypeError} If a registration is invalid. The message names the problem.
 */
export function readRegistration(
  globalMiddleware: readonly MiddlewareItem[],
  groups: readonly RouteGroup[],
): RegisteredRoute[] {
  const global = globalMiddleware.map((item, index) => readMiddleware(item, `middleware[${index}]`));
  const routes = new Map<string, RegisteredRoute>();
  for (const [index, group] of groups.entries()) {
    for (const route of readGroup(group, global, `routes[${index}]`)) {
      if (routes.has(route.ref)) throw new TypeError(`createApp: ${route.ref} is registered twice`);
      routes.set(route.ref, route);
    }
  }
  return [...routes.values()];
}

const knownInGroup: Readonly<Record<keyof RouteGroup, true>> = {
  prefix: true,
  handlers: true,
  middleware: true,
};

function readGroup(
  group: RouteGroup,
  global: readonly RegisteredMiddleware[],
  location: string,
): RegisteredRoute[] {
  for (const name of Object.keys(requireObject(group, location))) {
    if (Object.hasOwn(knownInGroup, name)) continue;
    const suggestion = suggestName(name, Object.keys(knownInGroup));
    throw new TypeError(`createApp: ${location} has no \`${name}\`${suggestion}`);
  }
  const { prefix = "", handlers, middleware = [] } = group;
  if (typeof prefix !== "string" || (prefix !== "" && !prefix.startsWith("/"))) {
    throw new TypeError(
      `createApp: ${location}.prefix must be empty or begin with a slash, not ${JSON.stringify(prefix)}`,
    );
  }
  if (!Array.isArray(middleware)) throw new TypeError(`createApp: ${location}.middleware must be a list`);
  const own = (middleware as readonly MiddlewareItem[]).map((item, index) =>
    readMiddleware(item, `${location}.middleware[${index}]`),
  );
  // The sort is stable: at equal priority, global middleware stays first, and the order of registration is kept.
  const chain = [...global, ...own].toSorted((a, b) => a.priority - b.priority);
  return Object.entries(requireObject(handlers, `${location}.handlers`)).map(([key, handler]) => {
    const parts = parseRouteKey(key);
    if (parts === undefined) {
      throw new TypeError(
        `createApp: ${location}.handlers: ${JSON.stringify(key)} is not a route key such as "GET /notes/:id"`,
      );
    }
    if (typeof handler !== "function")
      throw new TypeError(`createApp: ${location}.handlers: ${key} is not a function`);
    return { ref: `${parts.method} ${joinPath(prefix, parts.path)}`, handler, chain };
  });
}

function readMiddleware(item: MiddlewareItem, location: string): RegisteredMiddleware {
  if (typeof item === "function") return { name: undefined, priority: 0, run: checkFunction(item, location) };
  const { name, middleware, priority } = requireObject(item, location);
  if (typeof name !== "string" || name === "")
    throw new TypeError(`createApp: ${location}.name must be a string`);
  if (typeof priority !== "number" || Number.isNaN(priority)) {
    throw new TypeError(`createApp: ${location}.priority must be a number; lower runs earlier`);
  }
  return { name, priority, run: checkFunction(middleware, `${location}.middleware`) };
}

function checkFunction(middleware: AnyMiddleware, location: string): AnyMiddleware {
  if (typeof middleware !== "function") throw new TypeError(`createApp: ${location} must be a function`);
  if (errorMiddlewareMark.has(middleware)) {
    throw new TypeError(
      `createApp: ${location} is an error middleware; pass this function as the option \`errorMiddleware\``,
    );
  }
  if (middleware.length > 1) {
    throw new TypeError(
      `createApp: ${location} has ${middleware.length} parameters, like middleware of Express; middleware of kit has one parameter, \`{ headers, ctx }\`, and does not call \`next\``,
    );
  }
  return middleware;
}

function requireObject<T extends object>(value: T, location: string): T {
  if (typeof value !== "object" || value === null)
    throw new TypeError(`createApp: ${location} must be an object`);
  return value;
}
