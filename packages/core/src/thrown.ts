/** What can be said of anything that was thrown. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

/** At most so many causes of causes are told; what goes on longer is a circle. */
const CAUSES = 8;

/** The messages of what caused an error, the nearest first, as `shown` gives them. Never throws. */
export function describeCauses(
  thrown: unknown,
  shown: (cause: unknown, message: string) => string = (_, message) => message,
): string[] {
  const messages: string[] = [];
  let cause = causeOf(thrown);
  while (cause !== undefined && cause !== null && messages.length < CAUSES) {
    messages.push(shown(cause, describeBriefly(cause).message));
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

/** Reads what was thrown, which need not be an `Error`, nor readable at all. Never throws. */
export function describeThrown(thrown: unknown): Thrown {
  const brief = describeBriefly(thrown);
  const stack = typeof thrown === "object" && thrown !== null ? readText(thrown, "stack") : undefined;
  return stack === undefined ? brief : { ...brief, stack };
}

/** The same without the stack, whose text costs more than the rest of a request. Never throws. */
export function describeBriefly(thrown: unknown): Pick<Thrown, "name" | "message"> {
  // Not its text: a function's own toString may throw.
  if (typeof thrown === "function") return { name: "NonError", message: "A function was thrown" };
  if (typeof thrown !== "object" || thrown === null) {
    return {
      name: "NonError",
      message: typeof thrown === "string" ? thrown : `${String(thrown)} was thrown`,
    };
  }
  const name = readText(thrown, "name") ?? "NonError";
  const message = readText(thrown, "message") ?? "An object that is no Error was thrown";
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
