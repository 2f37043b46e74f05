/** Description of a thrown value. */
export interface ThrownDescription {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

/** Maximum number of causes to describe. A longer chain is assumed to be circular. */
const CAUSES = 8;

/** Returns the messages of an error's causes, nearest first, each converted by `shown`. Never throws. */
export function describeCauses(
  thrown: unknown,
  shown: (cause: unknown, message: string) => string = (_, message) => message,
): string[] {
  const messages: string[] = [];
  let cause = causeOf(thrown);
  while (cause !== undefined && cause !== null && messages.length < CAUSES) {
    messages.push(shown(cause, describeWithoutStack(cause).message));
    cause = causeOf(cause);
  }
  return messages;
}

function causeOf(thrown: unknown): unknown {
  try {
    return thrown instanceof Error ? thrown.cause : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Describes a thrown value. The value may be something other than an `Error`, and reading it may throw. Never
 * throws.
 */
export function describeThrown(thrown: unknown): ThrownDescription {
  const brief = describeWithoutStack(thrown);
  const stack = typeof thrown === "object" && thrown !== null ? readText(thrown, "stack") : undefined;
  return stack === undefined ? brief : { ...brief, stack };
}

/**
 * Describes a thrown value without its stack, because the creation of the stack string takes longer than all other
 * work for a request. Never throws.
 */
export function describeWithoutStack(thrown: unknown): Pick<ThrownDescription, "name" | "message"> {
  // The function is not converted to a string, because its own `toString` may throw.
  if (typeof thrown === "function") return { name: "NonError", message: "A function was thrown" };
  if (typeof thrown !== "object" || thrown === null) {
    return {
      name: "NonError",
      message: typeof thrown === "string" ? thrown : `${String(thrown)} was thrown`,
    };
  }
  const name = readText(thrown, "name") ?? "NonError";
  const message = readText(thrown, "message") ?? "An object that is not an Error was thrown";
  return { name, message };
}

function readText(thrown: object, key: "name" | "message" | "stack"): string | undefined {
  try {
    const text = (thrown as Record<string, unknown>)[key];
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
