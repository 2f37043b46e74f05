import { explain } from "@kit/core/codec";
import { createMatcher, type Matcher } from "@kit/core/router";
import type {
  CompiledApplication,
  CompiledRoute,
  TestedMessage,
  TestedResponse,
  TestedRequest,
  ValidationRule,
} from "@kit/types";

import type { ContractParts, Contracts, Slot } from "./contracts.ts";
import { envelope, type ErrorFormat, readFailure } from "./error-format.ts";
import { formatOf } from "./formats.ts";
import { answersOf, formatItem, idOf, type Item, JSON_TEXT, NESTING, SLOTS } from "./items.ts";
import { seenNames } from "./messages.ts";
import { filledPlacesOf, type FilledSchemaPlace } from "./places.ts";
import { alternatives, boundsOf, expectedOf, fits, rulesOf } from "./rules.ts";

/** Failure that an error response reports: a path, and the rule that the value at this path breaks. */
interface NamedFailure {
  readonly path: string;
  readonly expected: string;
  readonly rule: ValidationRule;
}

/** Finds the items of a contract that a request and its response cover. */
export class Observer {
  readonly #application: CompiledApplication;
  /** Contracts by the method and path pattern of their route. */
  readonly #contracts: ReadonlyMap<string, ContractParts>;
  readonly #match: Matcher;
  readonly #errors: ErrorFormat;

  constructor({ application, routes, errors = envelope }: Contracts) {
    this.#errors = errors;
    this.#application = application;
    this.#contracts = new Map(routes.map((contract) => [contract.route, contract]));
    const refs = application.routes.map(({ ref }) => ref);
    this.#match = createMatcher(application.tree, refs);
  }

  /** Returns the ids of the items that a request and its response cover. Returns an empty list for a request without a route. */
  see(request: TestedRequest, answer: TestedResponse): string[] {
    const { method, target } = request;
    const [path = "", query = ""] = target.split(/\?(.*)/s);
    const match = this.#match(method, path);
    const compiled = match.kind === "route" ? this.#application.routes[match.route] : undefined;
    const contract = compiled === undefined ? undefined : this.#contracts.get(compiled.ref);
    if (match.kind !== "route" || compiled === undefined || contract === undefined) return [];
    const { route } = contract;
    const seen: Item[] = [{ kind: "answer", route, what: this.#nameOf(answer, contract) }];
    const isSuccess = contract.successes.includes(answer.status);
    const { validationStatus } = this.#errors;
    if (!isSuccess && answer.status !== validationStatus) return seen.map(idOf);
    const named = namedFailures(this.#errors, answer);
    const isRefused = answer.status === validationStatus && (named === undefined || named.length > 0);
    const { formats } = contract;
    const format = formats && formatOf(formats, request.headers?.["content-type"]);
    if (isSuccess && format !== undefined) seen.push(formatItem(route, format, formats!.length));
    if (isSuccess) seen.push({ kind: "route", route });
    else if (!isRefused) return seen.map(idOf);
    for (const slot of SLOTS) {
      const isJson = slot === "body" && format?.format === "json";
      const shape = isJson ? format.value : contract[slot];
      if (shape === undefined) continue;
      let value: unknown;
      try {
        value = valueOf(slot, compiled, match.params, { ...request, query });
      } catch {
        // Only a body is parsed as JSON, so only a body can throw here.
        if (isRefused) seen.push({ kind: "rule", route, slot, path: "$", what: JSON_TEXT });
        continue;
      }
      if (isRefused && slot === "body" && value === undefined) {
        seen.push({ kind: "rule", route, slot, path: "$", what: "required" });
        continue;
      }
      const places = filledPlacesOf(slot, shape, value);
      if (!isRefused) seen.push(...places.flatMap((place) => accepted(route, place)));
      else if (!fits(shape, value)) {
        seen.push(...refused(route, slot, places, named ?? explain(shape, value, "wire")));
        // The server validates the slots in this order and reports the first that is invalid. Without failures in the
        // response, a broken rule of a later slot may be untested.
        if (named === undefined) break;
      }
    }
    return seen.map(idOf);
  }

  /** Returns the ids of the items that a message of a WebSocket or an event covers. */
  seeMessage({ method, target }: TestedRequest, message: TestedMessage): string[] {
    const match = this.#match(method, target.split("?", 1)[0]!);
    const compiled = match.kind === "route" ? this.#application.routes[match.route] : undefined;
    const contract = compiled === undefined ? undefined : this.#contracts.get(compiled.ref);
    if (contract === undefined) return [];
    const { route } = contract;
    return seenNames(contract, message).map((what) => idOf({ kind: "message", route, what }));
  }

  /**
   * Returns the name of a response: `404 NOTE_NOT_FOUND` for an error, `200` for a success. If error bodies
   * have no code, uses the code of the error with this status that the contract or kit declares.
   */
  #nameOf({ status, body }: TestedResponse, contract: ContractParts): string {
    if (status < 400) return String(status);
    const { code } = readFailure(this.#errors, body);
    if (code !== undefined) return `${status} ${code}`;
    if (this.#errors.code !== undefined) return String(status);
    const known = answersOf(contract, true, this.#errors);
    return known.find((name) => name.startsWith(`${status} `)) ?? String(status);
  }
}

/** Returns the value that the validator of a slot receives. `values` are the decoded path parameters. */
function valueOf(
  slot: Slot,
  compiled: CompiledRoute,
  values: readonly string[],
  { query, headers = {}, body }: Pick<TestedRequest, "headers" | "body"> & { readonly query: string },
): unknown {
  switch (slot) {
    case "params":
      return compiled.params?.params(values);
    case "query":
      return compiled.query?.query(query);
    case "headers":
      return compiled.headers?.headers((name) => headers[name]);
    case "cookies":
      return compiled.cookies?.cookies(headers["cookie"]);
    case "body":
      return body === undefined || body === "" ? undefined : (JSON.parse(body) as unknown);
  }
}

/**
 * Returns the failures that a response reports. Returns `undefined` if the error format of the application has no failures:
 * then only the status says that the request is invalid.
 */
function namedFailures(format: ErrorFormat, { body }: TestedResponse): readonly NamedFailure[] | undefined {
  if (format.code === undefined || format.fields === undefined) return undefined;
  const { code, fields } = readFailure(format, body);
  return code === "VALIDATION_ERROR" && fields !== undefined ? (fields as NamedFailure[]) : [];
}

/** Returns the items of one place that a valid request covers. */
function accepted(route: string, place: FilledSchemaPlace): Item[] {
  const { path, shape, position, value } = place;
  if (value === undefined) return [];
  const at = { route, slot: position.slot, path };
  const found: Item[] = place.isField ? [{ kind: "field", ...at }] : [];
  for (const { name, isMet } of boundsOf(shape, position)) {
    if (isMet(value)) found.push({ kind: "bound", ...at, what: name });
  }
  const { others } = alternatives(shape);
  const member = others.length > 1 ? others.find((one) => fits(one, value)) : undefined;
  if (member !== undefined) found.push({ kind: "member", ...at, what: expectedOf(member) });
  return found;
}

/**
 * Returns the items for the rules that a response reports as broken. If the value at a place breaks two
 * rules, the result contains none of their items.
 */
function refused(
  route: string,
  slot: Slot,
  places: readonly FilledSchemaPlace[],
  named: readonly NamedFailure[],
): Item[] {
  const found: Item[] = [];
  for (const failure of named) {
    // The failure is at a value below the depth limit, for which there is no place.
    if (failure.rule === "maxDepth") {
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

function brokenAt({ value, shape, position }: FilledSchemaPlace): string[] {
  if (value === undefined) return ["required"];
  return rulesOf(shape, position)
    .filter((rule) => rule.breaks(value))
    .map((rule) => rule.name);
}

/** Returns true if a failure in the response is about this place. */
function isMeant({ shape, position, at }: FilledSchemaPlace, { path, expected }: NamedFailure): boolean {
  if (alternatives(shape).others.length > 1) {
    // An invalid discriminant of a union, such as `kind`, counts as a failure of the whole union.
    const tags = shape.kind === "union" ? (shape.discriminants ?? []) : [];
    return path === at || tags.some((tag) => path === `${at}.${tag}`);
  }
  return path === at && (position.isMember || expectedOf(shape) === expected);
}
