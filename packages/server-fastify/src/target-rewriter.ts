import { type Refusal, targetTooLong, withoutFinalSlash } from "@kit/server-node";
import type { ServerService } from "@kit/types";
import type { FastifyInstance } from "fastify";

/** Options of Fastify's router that affect which path it matches. */
interface RouterOptions {
  readonly ignoreTrailingSlash?: boolean;
  readonly ignoreDuplicateSlashes?: boolean;
  readonly useSemicolonDelimiter?: boolean;
  readonly maxParamLength?: number;
}

/** Default of Fastify's option `maxParamLength`: the longest value of a path parameter, in characters. */
const defaultLength = 100;

/**
 * Returns a function that changes a target to the path that Fastify's router matches, so that kit's router
 * matches the same path. Otherwise a request could bypass a route of Fastify that protects a path, by a
 * spelling of the path that only kit's router understands.
 */
export function targetRewriter(
  app: FastifyInstance,
  service: ServerService,
): (target: string, method: string) => string | Refusal {
  // Fastify accepts these options at the top level and in `routerOptions`.
  const config = app.initialConfig as RouterOptions & { readonly routerOptions?: RouterOptions };
  const given = [config, config.routerOptions ?? {}];
  const has = (name: Exclude<keyof RouterOptions, "maxParamLength">): boolean =>
    given.some((options) => options[name] === true);
  const lengths = given.map(({ maxParamLength = defaultLength }) => maxParamLength);
  // Fastify shows the default at the level that was not used.
  const chosen = lengths.filter((length) => length !== defaultLength);
  const longest = chosen.length === 0 ? defaultLength : Math.min(...chosen);
  const ignoresFinalSlash = has("ignoreTrailingSlash");
  const ignoresDoubleSlashes = has("ignoreDuplicateSlashes");
  const endsAtSemicolon = has("useSemicolonDelimiter");
  let hasParameters: boolean | undefined;

  return (target, method) => {
    let read = target;
    // With this option, Fastify reads a semicolon as the start of the query.
    if (endsAtSemicolon) read = read.replace(/^([^?;]*);/, "$1?");
    if (ignoresDoubleSlashes && read.includes("//")) {
      read = read.replace(/^[^?]*/, (path) => path.replaceAll(/\/{2,}/g, "/"));
    }
    if (!ignoresFinalSlash) {
      // Hooks run for both spellings. Only a route of the instance for the path without the slash could be bypassed.
      const short = withoutFinalSlash(read, service);
      if (short !== read && app.hasRoute({ url: short.split("?", 1)[0]!, method })) read = short;
    }
    // Fastify's path parameters do not match longer segments, so the request would bypass its routes and reach kit's route.
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
