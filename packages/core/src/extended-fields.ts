import { existsSync } from "node:fs";
import { resolve } from "node:path";

import type { CompiledHandler, CompiledRoute, ValidationFailure } from "@kit/types";

import { isoNow } from "./iso-now.ts";
import type { ErrorFields, FailedRequest } from "./failed-request.ts";
import { type RequestSlot, RequestValidationError, ResponseContractError } from "./validation-error.ts";

/**
 * Returns the additional fields of an error body. In development they are sufficient to find the cause without a
 * search.
 */
export function extendedFields(
  error: unknown,
  status: number,
  request: FailedRequest,
  fields: Exclude<ErrorFields, "none">,
): object {
  const { route, phase, requestId, serverAdapter } = request;
  const violation = violationOf(error);
  const told: Record<string, unknown> = { status, phase };
  if (route !== null) {
    told["route"] = route.ref;
    // File access takes time, and in production a client could cause it with any number of invalid requests.
    if (fields === "all")
      Object.assign(told, locationFields(existingLocations(route, request), phase, violation));
  }
  if (violation !== undefined) {
    told["schema"] = violation.schema;
    told["failures"] = violation.failures.map(withoutValue);
  }
  told["server"] = serverAdapter;
  told["serverAdapter"] = serverAdapter;
  told["requestId"] = requestId;
  told["timestamp"] = isoNow();
  return told;
}

interface Violation {
  readonly slot: RequestSlot | "response";
  readonly schema: string;
  readonly failures: readonly ValidationFailure[];
}

function violationOf(error: unknown): Violation | undefined {
  try {
    if (error instanceof RequestValidationError) return error;
    if (error instanceof ResponseContractError) {
      return { slot: "response", schema: error.schema, failures: error.failures };
    }
  } catch {
    // A proxy that throws when its prototype is read cannot be one of these errors.
  }
  return undefined;
}

/**
 * Returns the source locations of a route, without locations in files that do not exist.
 */
export function existingLocations(
  { source }: CompiledRoute,
  { projectRoot = "." }: FailedRequest,
): SourceLocations {
  const isThere = (file: string): boolean => existsSync(resolve(projectRoot, file));
  const { contract, handler, schemas, tests } = source;
  return {
    contract: isThere(contract.file) ? contract : undefined,
    handler: handler !== null && isThere(handler.file) ? handler : undefined,
    schemas: Object.fromEntries(Object.entries(schemas).filter(([, file]) => isThere(file))),
    tests: tests.filter(isThere),
  };
}

interface SourceLocations {
  readonly contract: CompiledRoute["source"]["contract"] | undefined;
  readonly handler: CompiledHandler | undefined;
  readonly schemas: CompiledRoute["source"]["schemas"];
  readonly tests: readonly string[];
}

function locationFields(places: SourceLocations, phase: string, violation: Violation | undefined): object {
  const { schemas, tests } = places;
  const place = locationOf(places, phase);
  const schemaFile = violation === undefined ? undefined : schemas[violation.slot];
  return {
    ...(place !== undefined && { sourceFile: `${place.file}:${place.line}` }),
    ...(schemaFile !== undefined && { schemaFile }),
    relatedTests: tests,
  };
}

/**
 * Selects the location to show: the contract for an invalid request, the handler for an invalid response. The location
 * of a middleware is unknown.
 */
function locationOf(
  { contract, handler }: SourceLocations,
  phase: string,
): { file: string; line: number } | undefined {
  if (phase.startsWith("validation:")) return contract;
  return phase.startsWith("middleware:") ? undefined : (handler ?? contract);
}

function withoutValue({ path, expected, received, rule, limit, suggestion }: ValidationFailure): object {
  return {
    path,
    expected,
    received,
    rule,
    ...(limit !== undefined && { limit }),
    suggestion: suggestion ?? `send ${expected} instead`,
  };
}
