import type { CompiledRoute, ValidationFailure } from "@kit/types";

import type { FailedRequest } from "./error-middleware.ts";
import { RequestValidationError, ResponseContractError } from "./request/validation-error.ts";

/** What stands beside code, message and details in development: enough to find the fault without a search. */
export function developmentFields(error: unknown, status: number, request: FailedRequest): object {
  const { route, phase, requestId, serverAdapter } = request;
  const violation = violationOf(error);
  return {
    status,
    phase,
    ...(route !== null && { route: route.ref, ...placesOf(route, phase, violation) }),
    ...(violation !== undefined && {
      schema: violation.schema,
      failures: violation.failures.map(withoutValue),
    }),
    server: serverAdapter,
    serverAdapter,
    requestId,
    timestamp: new Date().toISOString(),
  };
}

interface Violation {
  readonly slot: "params" | "query" | "body" | "response";
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
    // A proxy that does not even tell its prototype is none of ours.
  }
  return undefined;
}

function placesOf(route: CompiledRoute, phase: string, violation: Violation | undefined): object {
  const { schemas, tests } = route.source;
  const place = placeOf(route, phase);
  const schemaFile = violation === undefined ? undefined : schemas[violation.slot];
  return {
    ...(place !== undefined && { sourceFile: `${place.file}:${place.line}` }),
    ...(schemaFile !== undefined && { schemaFile }),
    relatedTests: tests,
  };
}

/** A bad request is understood from its contract, a bad answer is repaired in the handler; where a middleware is, is not known. */
function placeOf(
  { source: { contract, handler } }: CompiledRoute,
  phase: string,
): { file: string; line: number } | undefined {
  if (phase.startsWith("validation:")) return contract;
  return phase.startsWith("middleware:") ? undefined : (handler ?? contract);
}

function withoutValue({ path, expected, received, suggestion }: ValidationFailure): object {
  return { path, expected, received, ...(suggestion !== undefined && { suggestion }) };
}
