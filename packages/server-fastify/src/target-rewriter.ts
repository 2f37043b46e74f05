import { type Refusal, targetTooLong, withoutFinalSlash } from "@kit/server-node";
import type { ServerService } from "@kit/types";
import type { FastifyInstance } from "fastify";

/** Options of Fastify's router that decide which path it reads. */
interface RouterOptions {
  readonly ignoreTrailingSlash?: boolean;
  readonly ignoreDuplicateSlashes?: boolean;
  readonly useSemicolonDelimiter?: boolean;
  readonly maxParamLength?: number;
}

/** Fastify's default for `maxParamLength`. */
const defaultLength = 100;

/**
 * Returns a function that rewrites a target as Fastify's router reads it, so that kit's router reads the same path. Without the rewrite, a
 * spelling that only kit's router maps to a path could bypass a route of the instance that refuses requests for this path.
 */
export function targetRewriter(
  app: FastifyInstance,
  service: ServerService,
): (target: string, method: string) => string | Refusal {
  // Fastify accepts the router options at two locations.
  const config = app.initialConfig as RouterOptions & { readonly routerOptions?: RouterOptions };
  const given = [config, config.routerOptions ?? {}];
  const has = (name: Exclude<keyof RouterOptions, "maxParamLength">): boolean =>
    given.some((options) => options[name] === true);
  const lengths = given.map(({ maxParamLength = defaultLength }) => maxParamLength);
  // The location that was not used shows the default.
  const chosen = lengths.filter((length) => length !== defaultLength);
  const longest = chosen.length === 0 ? defaultLength : Math.min(...chosen);
  const ignoresFinalSlash = has("ignoreTrailingSlash");
  const ignoresDoubleSlashes = has("ignoreDuplicateSlashes");
  const endsAtSemicolon = has("useSemicolonDelimiter");
  let hasParameters: boolean | undefined;

  return (target, method) => {
    let read = target;
    // With this option, a semicolon starts the query.
    if (endsAtSemicolon) read = read.replace(/^([^?;]*);/, "$1?");
    if (ignoresDoubleSlashes && read.includes("//")) {
      read = read.replace(/^[^?]*/, (path) => path.replaceAll(/\/{2,}/g, "/"));
    }
    if (!ignoresFinalSlash) {
      // Hooks run for both paths. Only a route of the instance for the path without the slash could be bypassed.
      const short = withoutFinalSlash(read, service);
      if (short !== read && app.hasRoute({ url: short.split("?", 1)[0]!, method })) read = short;
    }
    // Fastify's parameters do not match longer segments, so the request would bypass these routes and reach kit's route.
    if (read.length > longest && hasLongSegment(read, longest)) {
      hasParameters ??= app.printRoutes({ commonPrefix: false }).includes(":");
      if (hasParameters) return targetTooLong;
    }
    return read;
  };
}

function hasLongSegment(target: string, longest: number): boolean {
  const [path] = target.split("?", 1);
  return path!.split("/").some(({ length }) => length > longest);
}
