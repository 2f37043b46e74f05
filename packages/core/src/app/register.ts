import { errorMiddlewareMark } from "../error-middleware.ts";
import type { AnyHandlers } from "../request/handlers.ts";
import type { AnyMiddleware, MiddlewareItem } from "../request/middleware.ts";
import { AnyWrapper } from "../request/wrapper-object.ts";
import { isByteCount } from "./byte-count.ts";
import { isMilliseconds, longestTimeoutMs } from "./milliseconds.ts";
import { checkSockets } from "./sockets-option.ts";
import type { SocketsOptions } from "../sockets/sockets-options.ts";
import type { RouteGroup, RouteOptions } from "./options.ts";
import { joinPath, parseRouteKey } from "../router/route-path.ts";
import { suggestName } from "./suggestion.ts";

/** Middleware that was registered with `createApp`. */
export interface RegisteredMiddleware {
  /** Name of the middleware. `undefined` for a bare function: the name of its variable is unknown at run time. */
  readonly name: string | undefined;
  readonly priority: number;
  readonly run: AnyMiddleware | AnyWrapper;
}

/** Route that was registered with `createApp`. */
export interface RegisteredRoute {
  /** Method and final path: `GET /notes/:id`. */
  readonly ref: string;
  readonly handler: AnyHandlers[string];
  /** Middleware in order of execution. */
  readonly chain: readonly RegisteredMiddleware[];
  /** Maximum size of a body in bytes. `undefined` if the application's limit applies. */
  readonly bodyBytes: number | undefined;
  /** Timeout in milliseconds. `undefined` if the application's timeout applies. */
  readonly requestTimeoutMs: number | undefined;
  /** Minimum rate of a body in chunks. `undefined` if the rate of the server applies. */
  readonly bodyMinBytesPerSecond: number | undefined;
  /** Options of WebSockets that replace the application's. `undefined` if there are none. */
  readonly sockets: SocketsOptions | undefined;
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
  const routes = new Map<string, RegisteredRoute>();
  const outside = { prefixes: [], chain: readMiddlewareList(globalMiddleware, "middleware") };
  for (const route of readGroups(groups, outside, "routes")) {
    if (routes.has(route.ref)) throw new TypeError(`createApp: ${route.ref} is registered twice`);
    routes.set(route.ref, route);
  }
  return [...routes.values()];
}

/** Prefixes and middleware that a group inherits from the application and from the enclosing groups. */
interface Outside {
  /** Prefixes, the innermost first. */
  readonly prefixes: readonly string[];
  /** Middleware in order of registration: global, then from the outermost group to the innermost. */
  readonly chain: readonly RegisteredMiddleware[];
}

const knownInGroup: Readonly<Record<keyof RouteGroup, true>> = {
  prefix: true,
  handlers: true,
  middleware: true,
  on: true,
  routes: true,
};

function readGroups(groups: readonly RouteGroup[], outside: Outside, location: string): RegisteredRoute[] {
  return groups.flatMap((group, index) => readGroup(group, outside, `${location}[${index}]`));
}

function readGroup(group: RouteGroup, outside: Outside, location: string): RegisteredRoute[] {
  requireKnown(requireObject(group, location), knownInGroup, location);
  const { prefix = "", handlers, middleware = [], on, routes } = group;
  if (typeof prefix !== "string" || (prefix !== "" && !prefix.startsWith("/"))) {
    throw new TypeError(
      `createApp: ${location}.prefix must be empty or begin with a slash, not ${JSON.stringify(prefix)}`,
    );
  }
  if (handlers === undefined && routes === undefined) {
    const advice = "a group has `handlers`, `routes` with the groups inside of it, or both";
    throw new TypeError(`createApp: ${location}.handlers must be an object; ${advice}`);
  }
  if (on !== undefined && handlers === undefined) {
    throw new TypeError(
      `createApp: ${location}.on requires \`handlers\` in the same group: each key of \`on\` is a key of \`handlers\``,
    );
  }
  if (routes !== undefined && !Array.isArray(routes)) {
    throw new TypeError(`createApp: ${location}.routes must be a list of groups`);
  }
  const inside: Outside = {
    prefixes: prefix === "" ? outside.prefixes : [prefix, ...outside.prefixes],
    chain: [...outside.chain, ...readMiddlewareList(middleware, `${location}.middleware`)],
  };
  const own = handlers === undefined ? [] : readHandlers(handlers, on ?? {}, inside, location);
  return [...own, ...readGroups(routes ?? [], inside, `${location}.routes`)];
}

function readHandlers(
  handlers: AnyHandlers,
  on: NonNullable<RouteGroup["on"]>,
  { prefixes, chain }: Outside,
  location: string,
): RegisteredRoute[] {
  const keys = Object.keys(requireObject(handlers, `${location}.handlers`));
  for (const key of Object.keys(requireObject(on, `${location}.on`))) {
    if (Object.hasOwn(handlers, key)) continue;
    const problem = `${location}.on: ${JSON.stringify(key)} is not a key of the group's handlers`;
    throw new TypeError(`createApp: ${problem}${suggestName(key, keys)}`);
  }
  return keys.map((key) => {
    const handler = handlers[key];
    const parts = parseRouteKey(key);
    if (parts === undefined) {
      throw new TypeError(
        `createApp: ${location}.handlers: ${JSON.stringify(key)} is not a route key such as "GET /notes/:id"`,
      );
    }
    if (typeof handler !== "function")
      throw new TypeError(`createApp: ${location}.handlers: ${key} is not a function`);
    const path = prefixes.reduce((inner, prefix) => joinPath(prefix, inner), joinPath("", parts.path));
    const options = readRouteOptions(
      Object.hasOwn(on, key) ? on[key] : undefined,
      `${location}.on[${JSON.stringify(key)}]`,
    );
    const { middleware, bodyBytes, requestTimeoutMs, bodyMinBytesPerSecond, sockets } = options;
    // The sort is stable: at equal priority, global middleware comes first, then that of the groups from the outermost
    // to the innermost, then that of the route.
    const sorted = [...chain, ...middleware].toSorted((a, b) => a.priority - b.priority);
    if (sockets !== undefined && parts.method !== "WS") {
      throw new TypeError(
        `createApp: ${location}.on[${JSON.stringify(key)}].sockets needs a route that accepts WebSockets, such as "WS ${parts.path}"`,
      );
    }
    const ref = `${parts.method} ${path}`;
    return { ref, handler, chain: sorted, bodyBytes, requestTimeoutMs, bodyMinBytesPerSecond, sockets };
  });
}

const knownInRoute: Readonly<Record<keyof RouteOptions, true>> = {
  middleware: true,
  limits: true,
  requestTimeoutMs: true,
  bodyMinBytesPerSecond: true,
  sockets: true,
};

interface ReadRouteOptions extends Omit<RegisteredRoute, "ref" | "handler" | "chain"> {
  readonly middleware: readonly RegisteredMiddleware[];
}

/** Options of a route that has no options of its own. */
const noOptions: ReadRouteOptions = {
  middleware: [],
  bodyBytes: undefined,
  requestTimeoutMs: undefined,
  bodyMinBytesPerSecond: undefined,
  sockets: undefined,
};

/** Greatest minimum rate of a body, in bytes per second. */
const greatestRate = 2 ** 31 - 1;

function readRouteOptions(options: RouteOptions | undefined, location: string): ReadRouteOptions {
  if (options === undefined) return noOptions;
  requireKnown(requireObject(options, location), knownInRoute, location);
  const { middleware = [], limits = {}, requestTimeoutMs, bodyMinBytesPerSecond: rate, sockets } = options;
  requireKnown(requireObject(limits, `${location}.limits`), { bodyBytes: true }, `${location}.limits`);
  const { bodyBytes } = limits;
  if (bodyBytes !== undefined && !isByteCount(bodyBytes)) {
    throw new TypeError(`createApp: ${location}.limits.bodyBytes must be a whole number of bytes`);
  }
  if (requestTimeoutMs !== undefined && !isMilliseconds(requestTimeoutMs)) {
    throw new TypeError(
      `createApp: ${location}.requestTimeoutMs must be a whole number of milliseconds from 0 to ${longestTimeoutMs}, not ${String(requestTimeoutMs)}`,
    );
  }
  if (rate !== undefined && !(Number.isInteger(rate) && rate >= 0 && rate <= greatestRate)) {
    throw new TypeError(
      `createApp: ${location}.bodyMinBytesPerSecond must be a whole number of bytes from 0 to ${greatestRate}, not ${String(rate)}`,
    );
  }
  const own = readMiddlewareList(middleware, `${location}.middleware`);
  const ownSockets = sockets && checkSockets(sockets, `${location}.sockets`);
  return { middleware: own, bodyBytes, requestTimeoutMs, bodyMinBytesPerSecond: rate, sockets: ownSockets };
}

function readMiddlewareList(list: readonly MiddlewareItem[], location: string): RegisteredMiddleware[] {
  if (!Array.isArray(list)) throw new TypeError(`createApp: ${location} must be a list`);
  return (list as readonly MiddlewareItem[]).map((item, index) =>
    readMiddleware(item, `${location}[${index}]`),
  );
}

function requireKnown(value: object, known: Readonly<Record<string, true>>, location: string): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(known, name)) continue;
    const suggestion = suggestName(name, Object.keys(known));
    throw new TypeError(`createApp: ${location} has no \`${name}\`${suggestion}`);
  }
}

function readMiddleware(item: MiddlewareItem, location: string): RegisteredMiddleware {
  if (typeof item === "function" || item instanceof AnyWrapper) {
    return { name: undefined, priority: 0, run: checkFunction(item, location) };
  }
  const { name, middleware, priority } = requireObject(item, location);
  if (typeof name !== "string" || name === "")
    throw new TypeError(`createApp: ${location}.name must be a string`);
  if (typeof priority !== "number" || Number.isNaN(priority)) {
    throw new TypeError(`createApp: ${location}.priority must be a number; lower runs earlier`);
  }
  return { name, priority, run: checkFunction(middleware, `${location}.middleware`) };
}

function checkFunction(middleware: AnyMiddleware | AnyWrapper, location: string): AnyMiddleware | AnyWrapper {
  if (middleware instanceof AnyWrapper) return middleware;
  if (typeof middleware !== "function") throw new TypeError(`createApp: ${location} must be a function`);
  if (errorMiddlewareMark.has(middleware)) {
    throw new TypeError(
      `createApp: ${location} is an error middleware; pass this function as the option \`errorMiddleware\``,
    );
  }
  if (middleware.length > 1) {
    throw new TypeError(
      `createApp: ${location} has ${middleware.length} parameters, like middleware of Express; middleware of kit has one parameter, \`{ headers, ctx }\`. Create a middleware that calls \`next\` with defineWrapper`,
    );
  }
  return middleware;
}

function requireObject<T extends object>(value: T, location: string): T {
  if (typeof value !== "object" || value === null)
    throw new TypeError(`createApp: ${location} must be an object`);
  return value;
}
