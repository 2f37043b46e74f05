import type { CompiledBody, CompiledContent, CompiledRoute } from "@kit/types";

import { suggestion } from "./nearest.ts";
import type { SidecarState } from "./sidecar-state.ts";
import { ErrorResponse, truncate } from "./error-response.ts";
import type { ShownRoute } from "./shapes.ts";

const slots = ["params", "query", "headers", "cookies", "body"] as const;

export function allRoutes({ host }: SidecarState): { routes: ShownRoute[] } {
  return { routes: host.compiled.routes.map(showRoute) };
}

/** Returns the route that `/_debug/routes/GET/notes/:id` asks for. */
export function oneRoute({ host }: SidecarState, method: string, path: string): ShownRoute {
  const ref = `${method.toUpperCase()} ${path}`;
  const { routes } = host.compiled;
  // The requested path has been decoded, so it is also compared with the decoded path pattern.
  const found =
    routes.find((route) => route.ref === ref) ??
    routes.find((route) => decodeURIComponent(route.ref) === ref);
  if (found !== undefined) return showRoute(found);
  const refs = routes.map((route) => route.ref);
  throw noRoute(ref, refs);
}

function noRoute(name: string, names: readonly string[]): ErrorResponse {
  const message = `there is no route \`${truncate(name)}\`; ${suggestion(name, names)}`;
  return new ErrorResponse(404, "ROUTE_NOT_FOUND", message);
}

/** Names of the formats as contracts write them. */
const formatNames = {
  form: "Form",
  multipart: "Multipart",
  raw: "Raw",
  chunks: "Chunks",
  text: "Text",
  bytes: "Bytes",
  download: "Download",
  lines: "Lines",
  events: "Events",
  json: "Json",
} as const;

/** Returns a request body as the contract writes it: `Form<Login>`, `Raw<"application/json">`, `Multipart<{ photo }>`. */
function bodyText({ format, mediaTypes, validator, files = [], choices = [] }: CompiledBody): string {
  if (format === "oneof") return choices.map(bodyText).join(" | ");
  const names = files.map(({ name }) => name);
  const types = mediaTypes.map((type) => JSON.stringify(type)).join(" | ");
  const content = validator?.name ?? (format === "multipart" ? `{ ${names.join(", ")} }` : types);
  return `${formatNames[format]}<${content}>`;
}

/** Returns a response as the contract writes it: `Lines<Book>`, `Text<"text/csv">`, `Events<{ progress, done }>`. */
function contentText({ format, mediaType, json, line, events, choices = [] }: CompiledContent): string {
  if (format === "oneof") return choices.map(contentText).join(" | ");
  const names = events === undefined ? undefined : `{ ${Object.keys(events).join(", ")} }`;
  return `${formatNames[format]}<${(json ?? line)?.name ?? names ?? JSON.stringify(mediaType)}>`;
}

function showRoute(route: CompiledRoute): ShownRoute {
  const { method, path, ref, middleware, response, status, group, source } = route;
  const { bodyFormat, responseFormat } = route;
  const validators = slots.flatMap((slot) => {
    const validator = route[slot];
    return validator === null || validator === undefined ? [] : [[slot, validator.name] as const];
  });
  if (bodyFormat !== undefined) validators.push(["body", bodyText(bodyFormat)]);
  const replies = Object.entries(route.replies ?? {}).map(([name, reply]) => ({
    status: Number(name),
    body: reply.content === undefined ? (reply.body?.name ?? null) : contentText(reply.content),
    headers: reply.headers?.name ?? null,
  }));
  const details = Object.entries(route.details ?? {}).map(([code, { name }]) => [code, name] as const);
  return {
    method,
    path,
    ref,
    middleware,
    validators: Object.fromEntries(validators),
    serializer: responseFormat === undefined ? (response?.name ?? null) : contentText(responseFormat),
    replies,
    details: Object.fromEntries(details),
    scopes: route.scopes?.anyOf ?? [],
    status,
    group,
    handler: source.handler,
    contract: source.contract,
    tests: source.tests,
  };
}

/**
 * Returns the names of the routes that a name stands for. `GET /notes/:id` is one route. `/notes/:id` is every method of that path. `/` is
 * all routes if no route has that path, because `kit inspect performance` sends it by default.
 */
export function routesNamed({ host }: SidecarState, name: string): ReadonlySet<string> {
  const { routes } = host.compiled;
  const refs = routes.filter(({ ref, path }) => ref === name || path === name).map(({ ref }) => ref);
  if (refs.length > 0) return new Set(refs);
  if (name === "/") return new Set(routes.map(({ ref }) => ref));
  const names = [...routes.map(({ path }) => path), ...routes.map(({ ref }) => ref)];
  throw noRoute(name, names);
}
