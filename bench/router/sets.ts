/** Sets of routes that the router benchmark measures, and requests with their expected results. */

/** Request, and the result that a router must return: the index of a route, or a status. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly expected: number | "not-found" | "not-allowed";
}

/** Routes of one application. */
export interface RouteSet {
  readonly name: string;
  /** Routes, such as `GET /notes/:id`. */
  readonly routes: readonly string[];
  /** Requests of each scenario. */
  readonly requests: Readonly<Record<string, readonly Request[]>>;
}

/** Number of different requests in a scenario, so that the CPU's branch predictor cannot learn a single path. */
const REQUESTS = 512;

const resources = [
  "users teams notes todos files orders items carts invoices payments",
  "projects tasks labels comments events sessions tokens webhooks reports settings",
]
  .join(" ")
  .split(" ");

/** Returns the routes of an application with twenty resources of five routes each, and with files. */
function rest(): string[] {
  return [...resources.flatMap((name) => resource(`/api/v1/${name}`)), "GET /assets/*path"];
}

function resource(path: string): string[] {
  return [
    `GET ${path}`,
    `POST ${path}`,
    `GET ${path}/active`,
    `GET ${path}/:id`,
    `GET ${path}/:id/tags/:tag`,
  ];
}

/** Returns a thousand routes: two hundred resources, twenty in each of ten areas. */
function thousand(): string[] {
  const areas = ["shop", "blog", "chat", "mail", "wiki", "admin", "billing", "search", "status", "media"];
  const paths = areas.flatMap((area) => resources.map((name) => `/api/v2/${area}/${name}`));
  return [...paths.flatMap(resource), "GET /assets/*path"];
}

/** Returns routes like those of the API of a host for source code: deep, with static segments and parameters at the same level. */
function hosting(): string[] {
  const repository = "/repos/:owner/:repo";
  const collections = [
    "issues issues/:id/comments issues/:id/labels issues/:id/events pulls pulls/:id/commits pulls/:id/files",
    "pulls/:id/reviews branches commits releases releases/:id/assets tags forks keys hooks milestones labels",
    "collaborators deployments statuses stargazers subscribers events",
  ]
    .join(" ")
    .split(" ");
  const own = ["repos", "orgs", "teams", "emails", "keys", "followers", "following", "starred", "issues"];
  const theirs = ["repos", "orgs", "gists", "followers", "following", "starred", "events", "received_events"];
  return [
    "GET /",
    "GET /meta",
    "GET /rate_limit",
    "GET /emojis",
    "GET /events",
    "GET /feeds",
    ...["repositories", "users", "code", "commits", "issues", "topics"].map((what) => `GET /search/${what}`),
    "GET /user",
    "PATCH /user",
    ...own.map((what) => `GET /user/${what}`),
    "PUT /user/starred/:owner/:repo",
    "DELETE /user/starred/:owner/:repo",
    "GET /users",
    "GET /users/:user",
    ...theirs.map((what) => `GET /users/:user/${what}`),
    "GET /orgs/:org",
    "PATCH /orgs/:org",
    ...["repos", "members", "teams", "hooks", "events"].map((what) => `GET /orgs/:org/${what}`),
    "GET /gists",
    "POST /gists",
    "GET /gists/public",
    "GET /gists/starred",
    "GET /gists/:id",
    `GET ${repository}`,
    `PATCH ${repository}`,
    `DELETE ${repository}`,
    ...collections.flatMap((path) => [`GET ${repository}/${path}`, `POST ${repository}/${path}`]),
    ...["issues", "pulls", "releases", "hooks", "milestones", "keys"].flatMap((path) =>
      ["GET", "PATCH", "DELETE"].map((method) => `${method} ${repository}/${path}/:id`),
    ),
    `GET ${repository}/contents/*path`,
    `PUT ${repository}/contents/*path`,
  ];
}

const FILES = ["src/main.rs", "docs/guide/start.md", "js/app/main.js", "package.json", "a/b/c/d/e.txt"];
const SPACED = ["a%20b", "caf%C3%A9", "2026-11-21T10%3A00", "x%2Fy"];

/** Returns a generator of pseudorandom integers below a bound. Its seed is always the same. */
function random(): (bound: number) => number {
  let state = 0x5eed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function isKind(route: string, params: number, wildcard: boolean): boolean {
  return (route.match(/:/g)?.length ?? 0) === params && route.includes("*") === wildcard;
}

function setOf(name: string, routes: readonly string[]): RouteSet {
  const below = random();
  const value = (escaped: boolean): string => {
    if (escaped) return SPACED[below(SPACED.length)] ?? "";
    if (below(2) === 0) return String(below(1e6));
    return Array.from({ length: 4 }, () =>
      below(2 ** 32)
        .toString(16)
        .padStart(8, "0"),
    ).join("-");
  };
  const file = (): string => FILES[below(FILES.length)] ?? "";
  const make = (
    from: readonly string[],
    expected?: "not-found" | "not-allowed",
    escaped = false,
  ): Request[] =>
    from.length === 0
      ? []
      : Array.from({ length: REQUESTS }, () => {
          const route = from[below(from.length)] ?? "";
          const [method = "", pattern = ""] = route.split(" ");
          const path = pattern.replace(/:\w+/g, () => value(escaped)).replace(/\*\w+/, file);
          if (expected === "not-found") return { method, path: `${path}/there/is/nothing`, expected };
          if (expected === "not-allowed") return { method: "OPTIONS", path, expected };
          return { method, path, expected: routes.indexOf(route) };
        });
  const statics = routes.filter((route) => isKind(route, 0, false) && !route.endsWith(" /"));
  const one = routes.filter((route) => isKind(route, 1, false));
  const two = routes.filter((route) => isKind(route, 2, false));
  const wildcards = routes.filter((route) => route.includes("*"));
  const known = [...statics, ...one, ...two];
  return {
    name,
    routes,
    requests: {
      static: make(statics),
      param: make(one),
      "two-params": make(two),
      wildcard: make(wildcards),
      mixed: make([...known, ...wildcards]),
      escaped: make(one, undefined, true),
      "not-found": make(known, "not-found"),
      "not-allowed": make(known, "not-allowed"),
    },
  };
}

export const sets: readonly RouteSet[] = [
  setOf("rest-101", rest()),
  setOf("hosting", hosting()),
  setOf("rest-1001", thousand()),
];
