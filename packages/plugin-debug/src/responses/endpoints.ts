import type { SidecarState } from "./sidecar-state.ts";
import { nearest } from "./nearest.ts";
import { feedOf } from "./feed.ts";
import { healthOf, serverOf } from "./health.ts";
import { infoOf } from "./info.ts";
import { jobsOf } from "./jobs.ts";
import { migrationsOf } from "./migrations.ts";
import { performanceOf } from "./performance.ts";
import { dependenciesOf, middlewareOf, pipelineOf } from "./project.ts";
import { ErrorResponse, truncate } from "./error-response.ts";
import { Query } from "./query.ts";
import { errorsOf, logsOf, requestOf, requestsOf, spansOf, tracesOf } from "./requests.ts";
import { allRoutes, oneRoute } from "./routes.ts";
import { allSchemas, schemaOf } from "./schema.ts";
import { seriesOf } from "./series.ts";
import { sourceOf } from "./source.ts";
import { streamOf, streamsOf } from "./streams.ts";

interface Endpoint {
  readonly path: string;
  /** Names of the query parameters that the endpoint accepts. */
  readonly query: readonly string[];
  readonly about: string;
  /** Other paths of the same endpoint. */
  readonly also?: readonly string[];
  /** Returns the response body. If the path ends with parameters, `rest` contains their decoded segments. */
  respond(state: SidecarState, query: Query, rest: readonly string[]): object | Promise<object>;
}

const endpoints: readonly Endpoint[] = [
  {
    path: "/_debug/requests",
    query: ["since", "limit", "route", "status"],
    about: "requests in progress and the last completed requests, with their phases and spans",
    respond: requestsOf,
  },
  {
    path: "/_debug/requests/:requestId",
    query: [],
    about: "a request with its log entries and its error",
    respond: (state, _, [requestId = ""]) => requestOf(state, requestId),
  },
  {
    path: "/_debug/streams",
    query: ["limit", "route"],
    about: "open WebSockets, open streams of events and lines, and the last ones that ended",
    respond: streamsOf,
  },
  {
    path: "/_debug/streams/:requestId",
    query: [],
    about: "a WebSocket or stream with its latest messages",
    respond: (state, _, [requestId = ""]) => streamOf(state, requestId),
  },
  {
    path: "/_debug/errors",
    query: ["since", "limit", "last"],
    about: "the last errors, each with its request",
    respond: errorsOf,
  },
  {
    path: "/_debug/logs",
    query: ["since", "level", "limit", "requestId"],
    about: "the last log entries",
    respond: logsOf,
  },
  { path: "/_debug/spans", query: ["since", "limit"], about: "the last spans", respond: spansOf },
  {
    path: "/_debug/traces",
    query: [],
    about: "the spans of the last 100 requests as trees",
    respond: tracesOf,
  },
  {
    path: "/_debug/performance",
    query: ["route", "window"],
    about: "percentiles of latency, and throughput",
    respond: performanceOf,
  },
  {
    path: "/_debug/performance/series",
    query: ["route", "window"],
    about: "the same over time, slice by slice",
    respond: seriesOf,
  },
  {
    path: "/_debug/health",
    query: [],
    about: "memory, connections, and the delay of the event loop",
    respond: healthOf,
  },
  { path: "/_debug/server", query: [], about: "the server beneath", respond: serverOf },
  {
    path: "/_debug/routes",
    query: [],
    about: "routes with their middleware, validators and serializer",
    respond: allRoutes,
  },
  {
    path: "/_debug/routes/:method/:path",
    query: [],
    about: "one route",
    respond: (state, _, [method = "", ...path]) => oneRoute(state, method, pathOf(path)),
  },
  {
    path: "/_debug/middleware",
    query: [],
    about: "middleware with its priorities",
    respond: middlewareOf,
  },
  { path: "/_debug/schema", query: [], about: "the names of all types", respond: allSchemas },
  {
    path: "/_debug/schema/:name",
    query: [],
    about: "a type, and the routes and types that use it",
    respond: (state, _, [name = ""]) => schemaOf(state, name),
  },
  {
    path: "/_debug/deps",
    also: ["/_debug/dependencies"],
    query: [],
    about: "the dependencies between the packages of kit",
    respond: dependenciesOf,
  },
  {
    path: "/_debug/build-pipeline",
    query: [],
    about: "the hooks of a build, and the plugins that tap them",
    respond: pipelineOf,
  },
  {
    path: "/_debug/migrations",
    query: [],
    about: "changes of the types that no migration contains",
    respond: migrationsOf,
  },
  {
    path: "/_debug/jobs",
    query: [],
    about: "jobs by name and state, the last failures, and the workers",
    respond: jobsOf,
  },
  {
    path: "/_debug/source",
    query: ["file", "line", "around"],
    about: "lines of a source file, in development",
    respond: sourceOf,
  },
  {
    path: "/_debug/feed",
    query: ["after", "limit"],
    about:
      "short descriptions of the requests that ended after `after` and of those in progress; the next request takes `next` as `after`",
    respond: feedOf,
  },
  {
    path: "/_debug/dashboard",
    query: [],
    about: "the data with which the dashboard at `/` starts",
    respond: infoOf,
  },
];

/** Endpoints by path, except endpoints whose path has parameters. */
const byPath: ReadonlyMap<string, Endpoint> = new Map(
  endpoints.flatMap((endpoint) =>
    [endpoint.path, ...(endpoint.also ?? [])].map((path) => [path, endpoint] as const),
  ),
);

/** Returns the response body for a request target, which is a path with a query. Rejects with {@link ErrorResponse} on any error. */
export async function respond(state: SidecarState, target: string): Promise<object> {
  const start = target.indexOf("?");
  const path = start === -1 ? target : target.slice(0, start);
  const query = start === -1 ? "" : target.slice(start + 1);
  if (path === "/" || path === "/_debug" || path === "/_debug/") return indexOf(query);
  const { endpoint, rest } = find(path);
  return endpoint.respond(state, new Query(query, endpoint.query), rest);
}

function find(path: string): { endpoint: Endpoint; rest: readonly string[] } {
  const own = byPath.get(path);
  if (own !== undefined) return { endpoint: own, rest: [] };
  const segments = path.split("/");
  const base = segments.slice(0, 3).join("/");
  const rest = segments.slice(3).map(decode);
  // An empty path parameter is allowed at the end: `/_debug/routes/GET/` asks for the route `GET /`.
  const endpoint = endpoints.find((candidate) => {
    const [pattern = "", ...parameters] = candidate.path.split("/:");
    const isOpen = parameters.length === 2 ? rest.length >= 2 : rest.length === 1;
    return parameters.length > 0 && pattern === base && isOpen && rest[0] !== "";
  });
  if (endpoint !== undefined) return { endpoint, rest };
  const near = nearest(path, byPath.keys());
  const help = near === undefined ? "`/` lists what there is" : `did you mean ${near}?`;
  throw new ErrorResponse(404, "NOT_FOUND", `the debug sidecar has nothing at ${truncate(path)}; ${help}`);
}

/**
 * Returns the path of the requested route: `/notes/:id` for the segments `["notes", ":id"]`, or for `["/notes/:id"]` if the client escaped
 * the slashes.
 */
function pathOf(segments: readonly string[]): string {
  const path = segments.join("/");
  return path.startsWith("/") ? path : `/${path}`;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ErrorResponse(400, "BAD_REQUEST", `${truncate(segment)} has an invalid percent-escape`);
  }
}

/**
 * Returns the list of endpoints, which is the response at `/`. Browsers get the dashboard there, unless the query contains `format=json`.
 */
function indexOf(query: string): object {
  new Query(query, ["format"]).oneOf("format", ["json"]);
  return {
    endpoints: endpoints.map(({ path, query: names, about, also }) => ({
      path,
      also,
      query: names,
      about,
    })),
  };
}
