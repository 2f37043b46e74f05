import type { CompiledRoute } from "@kit/types";

import { suggestion } from "../nearest.ts";
import type { SidecarState } from "../sidecar-state.ts";
import { NoAnswer, shown } from "./question.ts";
import type { ShownRoute } from "./shapes.ts";

const slots = ["params", "query", "body"] as const;

export function allRoutes({ host }: SidecarState): { routes: ShownRoute[] } {
  return { routes: host.compiled.routes.map(showRoute) };
}

/** The route of `/_debug/routes/GET/notes/:id`. */
export function oneRoute({ host }: SidecarState, method: string, path: string): ShownRoute {
  const ref = `${method.toUpperCase()} ${path}`;
  const { routes } = host.compiled;
  // The escapes in a route's own text are decoded like all others of the question.
  const found =
    routes.find((route) => route.ref === ref) ??
    routes.find((route) => decodeURIComponent(route.ref) === ref);
  if (found !== undefined) return showRoute(found);
  const refs = routes.map((route) => route.ref);
  throw noRoute(ref, refs);
}

function noRoute(name: string, names: readonly string[]): NoAnswer {
  const message = `there is no route \`${shown(name)}\`; ${suggestion(name, names)}`;
  return new NoAnswer(404, "ROUTE_NOT_FOUND", message);
}

function showRoute(route: CompiledRoute): ShownRoute {
  const { method, path, ref, middleware, response, status, group, source } = route;
  const validators = slots.flatMap((slot) => {
    const validator = route[slot];
    return validator === null ? [] : [[slot, validator.name] as const];
  });
  return {
    method,
    path,
    ref,
    middleware,
    validators: Object.fromEntries(validators),
    serializer: response?.name ?? null,
    status,
    group,
    handler: source.handler,
    contract: source.contract,
    tests: source.tests,
  };
}

/**
 * The routes that a path or a ref names: `GET /notes/:id` is one, `/notes/:id` every method of it. `/` names all, unless there is a route at that
 * path, since `kit inspect performance` asks for it where it is told nothing else.
 */
export function routesNamed({ host }: SidecarState, name: string): ReadonlySet<string> {
  const { routes } = host.compiled;
  const refs = routes.filter(({ ref, path }) => ref === name || path === name).map(({ ref }) => ref);
  if (refs.length > 0) return new Set(refs);
  if (name === "/") return new Set(routes.map(({ ref }) => ref));
  const names = [...routes.map(({ path }) => path), ...routes.map(({ ref }) => ref)];
  throw noRoute(name, names);
}
