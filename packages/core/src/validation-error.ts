import { ValidationError } from "@kit/errors";
import type { ValidationFailure } from "@kit/types";

/** Part of a request that a contract describes. */
export type RequestSlot = "params" | "query" | "headers" | "cookies" | "body";

const slotInWords: Readonly<Record<RequestSlot, string>> = {
  params: "path parameters",
  query: "query",
  headers: "headers",
  cookies: "cookies",
  body: "body",
};

/** Error for a request with a slot that breaks the contract. */
export class RequestValidationError extends ValidationError {
  readonly slot: RequestSlot;
  /** Name of the type of the slot. */
  readonly schema: string;
  readonly failures: readonly ValidationFailure[];

  constructor(slot: RequestSlot, schema: string, failures: readonly ValidationFailure[]) {
    const { message, details } = describeInvalidSlot(slot, failures);
    super("VALIDATION_ERROR", message, details);
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

  /** `found` and the name of the type complete the sentence "The handler of GET /notes returned …". */
  constructor(
    route: string,
    schema: string,
    failures: readonly ValidationFailure[],
    found: string = "a value that is not a valid",
  ) {
    super(describe(`The handler of ${route} returned ${found} ${schema}`, failures));
    this.schema = schema;
    this.failures = failures;
  }
}

/** Returns the message and the details of a {@link RequestValidationError}. */
export function describeInvalidSlot(
  slot: RequestSlot,
  failures: readonly ValidationFailure[],
): { readonly message: string; readonly details: { readonly fields: readonly object[] } } {
  return {
    message: describe(`Invalid ${slotInWords[slot]}`, failures),
    details: { fields: failures.map(toField) },
  };
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
