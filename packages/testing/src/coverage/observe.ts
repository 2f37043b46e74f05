import { MAX_DEPTH } from "@kit/core/codec";
import type { CompiledRoute } from "@kit/types";

import type { TestAnswer } from "../client.ts";
import type { Slot } from "../contracts/tables.ts";
import type { SentRequest } from "../curl.ts";
import type { ContractParts, Contracts } from "./contracts.ts";
import { idOf, type Item, JSON_TEXT, NESTING, SLOTS } from "./items.ts";
import { filledPlacesOf, type FilledPlace } from "./places.ts";
import { alternatives, boundsOf, expectedOf, fits, rulesOf } from "./rules.ts";

/** A place that an answer says is wrong. */
interface NamedFailure {
  readonly path: string;
  readonly expected: string;
}

const TOO_DEEP = `at most ${MAX_DEPTH} levels of nesting`;

interface Known {
  readonly contract: ContractParts;
  readonly compiled: CompiledRoute;
  readonly segments: readonly string[];
}

/** Finds out what of the contracts a request and its answer show. */
export class Observer {
  readonly #routes: readonly Known[];

  constructor({ application, routes }: Contracts) {
    this.#routes = application.routes.flatMap((compiled) => {
      const contract = routes.find((one) => one.route === compiled.ref);
      return contract === undefined ? [] : [{ contract, compiled, segments: compiled.path.split("/") }];
    });
  }

  /** The ids of what they show; of requests that belong to no route nothing. */
  see(request: Omit<SentRequest, "headers">, answer: TestAnswer): string[] {
    const [path = "", query = ""] = request.target.split(/\?(.*)/s);
    const segments = path.split("/");
    const known = this.#match(request.method, segments);
    if (known === undefined) return [];
    const { contract, compiled } = known;
    const { route } = contract;
    const seen: Item[] = [{ kind: "answer", route, what: nameOf(answer) }];
    if (answer.status !== contract.success && answer.status !== 400) return seen.map(idOf);
    const named = namedFailures(answer);
    const isRefused = answer.status === 400 && named.length > 0;
    if (answer.status === contract.success) seen.push({ kind: "route", route });
    else if (!isRefused) return seen.map(idOf);
    for (const slot of SLOTS) {
      const shape = contract[slot];
      if (shape === undefined) continue;
      let value: unknown;
      try {
        value = valueOf(slot, compiled, known.segments, segments, query, request.text);
      } catch {
        // Only a body can be no JSON at all.
        if (isRefused) seen.push({ kind: "rule", route, slot, path: "$", what: JSON_TEXT });
        continue;
      }
      if (isRefused && slot === "body" && value === undefined) {
        seen.push({ kind: "rule", route, slot, path: "$", what: "required" });
        continue;
      }
      const places = filledPlacesOf(slot, shape, value);
      if (!isRefused) seen.push(...places.flatMap((place) => accepted(route, place)));
      else if (!fits(shape, value)) seen.push(...refused(route, slot, places, named));
    }
    return seen.map(idOf);
  }

  /** The route of a path: of several, the one with the first literal segment. */
  #match(method: string, segments: readonly string[]): Known | undefined {
    const wanted = method === "HEAD" ? "GET" : method;
    const found = this.#routes.filter(
      (known) => known.compiled.method === wanted && matches(known.segments, segments),
    );
    const kinds = (known: Known): string => known.segments.map((segment) => rankOf(segment)).join("");
    return found.toSorted((a, b) => (kinds(a) < kinds(b) ? -1 : 1))[0];
  }
}

function rankOf(segment: string): string {
  return segment.startsWith("*") ? "2" : segment.startsWith(":") ? "1" : "0";
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  const last = pattern.at(-1) ?? "";
  if (last.startsWith("*") ? segments.length < pattern.length : segments.length !== pattern.length)
    return false;
  return pattern.every((part, index) => /^[:*]/.test(part) || part === decoded(segments[index] ?? ""));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** What the validator of a slot was given. */
function valueOf(
  slot: Slot,
  { params, query: reader }: CompiledRoute,
  pattern: readonly string[],
  segments: readonly string[],
  query: string,
  text: string | undefined,
): unknown {
  if (slot === "query") return reader?.query(query);
  if (slot === "body") return text === undefined || text === "" ? undefined : (JSON.parse(text) as unknown);
  const values = pattern.flatMap((part, index) => {
    if (part.startsWith(":")) return [decoded(segments[index] ?? "")];
    return part.startsWith("*") ? [segments.slice(index).map(decoded).join("/")] : [];
  });
  return params?.params(values);
}

/** `404 NOTE_NOT_FOUND`, or the status alone. */
function nameOf({ status, body }: TestAnswer): string {
  const code = (body as { error?: { code?: unknown } } | null | undefined)?.error?.code;
  return status >= 400 && typeof code === "string" ? `${status} ${code}` : String(status);
}

function namedFailures({ body }: TestAnswer): readonly NamedFailure[] {
  const error = (body as { error?: { code?: unknown; details?: { fields?: unknown } } } | null | undefined)
    ?.error;
  if (error?.code !== "VALIDATION_ERROR" || !Array.isArray(error.details?.fields)) return [];
  return error.details.fields as NamedFailure[];
}

/** What a valid request shows at a place. */
function accepted(route: string, place: FilledPlace): Item[] {
  const { path, shape, standing, value } = place;
  if (value === undefined) return [];
  const at = { route, slot: standing.slot, path };
  const found: Item[] = place.isField ? [{ kind: "field", ...at }] : [];
  for (const { name, isMet } of boundsOf(shape, standing)) {
    if (isMet(value)) found.push({ kind: "bound", ...at, what: name });
  }
  const { others } = alternatives(shape);
  const member = others.length > 1 ? others.find((one) => fits(one, value)) : undefined;
  if (member !== undefined) found.push({ kind: "member", ...at, what: expectedOf(member) });
  return found;
}

/** The rules that the answer to an invalid request speaks of. Where a value breaks two at one place, it shows neither. */
function refused(
  route: string,
  slot: Slot,
  places: readonly FilledPlace[],
  named: readonly NamedFailure[],
): Item[] {
  const found: Item[] = [];
  for (const failure of named) {
    // What stands deeper than values may be has no place of its own.
    if (failure.expected === TOO_DEEP) {
      const deep = places.filter((place) => place.isRecursive && failure.path.startsWith(place.at));
      found.push(...deep.map(({ path }): Item => ({ kind: "rule", route, slot, path, what: NESTING })));
    }
    for (const place of places) {
      if (!isMeant(place, failure)) continue;
      const broken = brokenAt(place);
      const [what] = broken;
      if (what !== undefined && broken.length === 1)
        found.push({ kind: "rule", route, slot, path: place.path, what });
    }
  }
  return found;
}

function brokenAt({ value, shape, standing }: FilledPlace): string[] {
  if (value === undefined) return ["required"];
  return rulesOf(shape, standing)
    .filter((rule) => rule.breaks(value))
    .map((rule) => rule.name);
}

/** Whether a failure that an answer names is one of this place. */
function isMeant({ shape, standing, at }: FilledPlace, { path, expected }: NamedFailure): boolean {
  if (alternatives(shape).others.length > 1) {
    // What does not tell members apart as it should is wrong with the union.
    const tags = shape.kind === "union" ? (shape.discriminants ?? []) : [];
    return path === at || tags.some((tag) => path === `${at}.${tag}`);
  }
  return path === at && (standing.isMember || expectedOf(shape) === expected);
}
