import { ValidationError } from "@kit/errors";
import type { ValidationFailure } from "@kit/types";

/** Part of a request that a contract describes. */
export type RequestSlot = "params" | "query" | "body";

const slotInWords: Readonly<Record<RequestSlot, string>> = {
  params: "path parameters",
  query: "query",
  body: "body",
};

/** Error for a request whose params, query or body breaks the contract. */
export class RequestValidationError extends ValidationError {
  readonly slot: RequestSlot;
  /** Name of the type of the params, query or body. */
  readonly schema: string;
  readonly failures: readonly ValidationFailure[];

  constructor(slot: RequestSlot, schema: string, failures: readonly ValidationFailure[]) {
    super("VALIDATION_ERROR", describe(`Invalid ${slotInWords[slot]}`, failures), {
      fields: failures.map(toField),
    });
    this.slot = slot;
    this.schema = schema;
    this.failures = failures;
  }
}

/**
 * Error for a response that breaks its contract. Created in development only, and always a fault of the application.
 */
export class ResponseContractError extends Error {
  override readonly name: string = "ResponseContractError";
  /** Name of the response's type. */
  readonly schema: string;
  readonly failures: readonly ValidationFailure[];

  constructor(route: string, schema: string, failures: readonly ValidationFailure[]) {
    super(describe(`The handler of ${route} returned a value that is not a valid ${schema}`, failures));
    this.schema = schema;
    this.failures = failures;
  }
}

function describe(what: string, failures: readonly ValidationFailure[]): string {
  const [first] = failures;
  if (first === undefined) return what;
  const more = failures.length > 1 ? ` (and ${failures.length - 1} more)` : "";
  return `${what}: ${first.path}: expected ${first.expected}, received ${first.received}${more}`;
}

/**
 * Returns an item of `details.fields`. `value` is absent if the value cannot be shown, and `limit` is absent if the
 * rule has none.
 */
function toField(failure: ValidationFailure): object {
  const { path, expected, value, rule, limit } = failure;
  const field: Partial<ValidationFailure> =
    value === undefined ? { path, expected } : { path, expected, value };
  field.rule = rule;
  if (limit !== undefined) field.limit = limit;
  return field;
}
