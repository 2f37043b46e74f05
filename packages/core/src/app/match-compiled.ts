import type { CompiledApplication, CompiledRoute, ServerLimits } from "@kit/types";

import { CallWatch } from "../observe/call-watch.ts";
import { phaseNames } from "../observe/phases.ts";
import type {
  ChainStep,
  ExecutableRoute,
  HandlerArgument,
  RouteExtras,
} from "../request/executable-route.ts";
import type { AnyMiddleware } from "../request/middleware.ts";
import { executableWrapper } from "../request/executable-wrapper.ts";
import { AnyWrapper } from "../request/wrapper-object.ts";
import { Negotiation } from "../request/negotiation.ts";
import { openingDownloads } from "../request/open-download.ts";
import type { InFlightLists } from "../request/in-flight-lists.ts";
import { requireScopes, scopesStep } from "../request/required-scopes.ts";
import { replyFunction } from "../request/reply.ts";
import { hasStreamedBody } from "../request/streamed-body.ts";
import { parameterNames } from "../router/route-path.ts";
import type { RegisteredRoute } from "./register.ts";
import { StartError } from "./start-error.ts";

/** Settings of the application, which a route may replace for itself. */
export interface RouteDefaults {
  readonly inFlight: InFlightLists;
  readonly limits: ServerLimits;
  /** Directory at which relative paths of downloads begin. */
  readonly projectRoot: string;
}

/**
 * Pairs each compiled route with the registered route that has the same method and path. The result is in the order of
 * the compiled routes.
 *
 * @throws {Error} If they differ. The message lists every difference. Without this check, a program that changed since
 * the last build would validate with outdated rules.
 */
export function matchCompiled(
  registered: readonly RegisteredRoute[],
  compiled: CompiledApplication,
  location: string,
  defaults: RouteDefaults,
): ExecutableRoute[] {
  const byRef = new Map(registered.map((route) => [route.ref, route]));
  const differences: string[] = [];
  const executables: ExecutableRoute[] = [];
  for (const route of compiled.routes) {
    const match = byRef.get(route.ref);
    byRef.delete(route.ref);
    if (match === undefined) differences.push(`${route.ref} is in the build but not registered`);
    else if (!sameChain(route, match)) differences.push(describeChains(route, match));
    else {
      const difference = wrapperDifference(route, match);
      if (difference === undefined) executables.push(toExecutable(route, match, defaults));
      else differences.push(difference);
    }
  }
  for (const ref of byRef.keys()) differences.push(`${ref} is registered but not in the build`);
  if (differences.length === 0) return executables;
  throw new StartError({
    problem: "the application is not the same as in the last `kit build`",
    locations: [`at ${location}`, ...differences.map((difference) => `- ${difference}`)],
    help: "run `kit build`",
  });
}

/**
 * Returns true if a route has the same middleware at run time and in the build. Bare functions are not compared: only
 * the compiler knows the names of their variables.
 */
function sameChain(route: CompiledRoute, { chain }: RegisteredRoute): boolean {
  return (
    chain.length === route.middleware.length &&
    chain.every((step, index) => step.name === undefined || step.name === route.middleware[index])
  );
}

/**
 * Returns a description of the difference if the wrappers of a route at run time are not exactly the wrappers
 * in the build.
 */
function wrapperDifference(route: CompiledRoute, { chain }: RegisteredRoute): string | undefined {
  for (const [index, { run }] of chain.entries()) {
    const name = route.middleware[index]!;
    const isKnown = route.wrappers !== undefined && Object.hasOwn(route.wrappers, name);
    if (run instanceof AnyWrapper === isKnown) continue;
    return isKnown
      ? `${route.ref}: the middleware ${name} is a wrapper in the build, but not in the application`
      : `${route.ref}: the middleware ${name} is a wrapper, but the build does not know this. Annotate it as \`Wrapper<{ … }>\`, or create it with a call of defineWrapper in a TypeScript file of the project`;
  }
  return undefined;
}

function describeChains(route: CompiledRoute, { chain }: RegisteredRoute): string {
  const now = chain.map(
    ({ name, run }) => name ?? (run instanceof AnyWrapper ? "a wrapper" : run.name || "a function"),
  );
  return `${route.ref} now has the middleware ${inWords(now)}, but in the build it has ${inWords(route.middleware)}`;
}

function inWords(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}

function toExecutable(
  compiled: CompiledRoute,
  { handler, chain, requestTimeoutMs, bodyBytes, bodyMinBytesPerSecond, sockets }: RegisteredRoute,
  { inFlight, limits, projectRoot }: RouteDefaults,
): ExecutableRoute {
  if (bodyMinBytesPerSecond !== undefined && !hasStreamedBody(compiled)) {
    throw new TypeError(
      `createApp: bodyMinBytesPerSecond of ${compiled.ref} needs a request body that the handler reads while it arrives: \`Chunks\`, \`Upload\`, \`Uploads\` or \`Lines\`. Other bodies have the limit bodyTimeoutMs`,
    );
  }
  const steps = withScopes(
    compiled,
    chain.map(({ run }, index) => toStep(compiled, compiled.middleware[index]!, run)),
  );
  const extras = extrasOf(compiled);
  const call = handler as (input: HandlerArgument) => unknown;
  return {
    compiled,
    paramNames: parameterNames(compiled.path),
    phases: phaseNames(steps.map(({ name }) => name)),
    callWatch: new CallWatch(),
    chain: steps,
    hasWrappers: chain.some(({ run }) => run instanceof AnyWrapper),
    handler: extras?.negotiation?.around(call) ?? openingDownloads(compiled, call, projectRoot),
    extras,
    inFlight: requestTimeoutMs === undefined ? inFlight.main : inFlight.of(requestTimeoutMs),
    bodyBytes: bodyBytes ?? limits.bodyBytes,
    bodyRate: bodyMinBytesPerSecond ?? null,
    sockets,
    varies: extras?.negotiation !== undefined,
  };
}

/**
 * Returns the steps of a route with the check of its scopes. If the compiler names a wrapper, the check comes before this
 * wrapper, which can answer by itself, such as with a stored answer. Otherwise, the check comes after all middleware.
 */
function withScopes({ ref, scopes, middleware }: CompiledRoute, steps: readonly ChainStep[]): ChainStep[] {
  if (scopes === undefined) return [...steps];
  const at = scopes.before === undefined ? steps.length : middleware.indexOf(scopes.before);
  if (at === -1)
    throw new Error(`Bug in kit: ${ref} has no wrapper ${scopes.before} before which to check scopes`);
  const check: ChainStep = { name: scopesStep, run: requireScopes(ref, scopes), wrapper: null };
  return steps.toSpliced(at, 0, check);
}

function toStep(compiled: CompiledRoute, name: string, run: AnyMiddleware | AnyWrapper): ChainStep {
  if (!(run instanceof AnyWrapper)) return { name, run, wrapper: null };
  const replies = compiled.wrappers?.[name] ?? {};
  const wrapper = executableWrapper(compiled.ref, name, run.run, replies);
  return { name, run: notCalled, wrapper };
}

/**
 * Takes the place of the function of a wrapper in the chain of middleware. Never called, because the pipeline
 * calls wrappers by their own function.
 */
function notCalled(): never {
  throw new Error("Bug in kit: a wrapper was called as plain middleware");
}

function extrasOf(compiled: CompiledRoute): RouteExtras | null {
  const { ref, headers, cookies, replies, bodyFormat, responseFormat, socket } = compiled;
  const declared = headers ?? cookies ?? replies ?? bodyFormat ?? responseFormat ?? socket;
  if (declared === undefined) return null;
  const reply = replies && replyFunction(ref, replies);
  const negotiation = Negotiation.of(compiled);
  return { headers, cookies, replies, reply, bodyFormat, responseFormat, socket, negotiation };
}
