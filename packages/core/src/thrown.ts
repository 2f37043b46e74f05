/** What can be said of anything that was thrown. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

/** At most so many causes of causes are told; what goes on longer is a circle. */
const CAUSES = 8;

/** The messages of what caused an error, the nearest first. Never throws. */
export function describeCauses(thrown: unknown): string[] {
  const messages: string[] = [];
  let cause = causeOf(thrown);
  while (cause !== undefined && cause !== null && messages.length < CAUSES) {
    messages.push(describeThrown(cause).message);
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
  const stack = readText(thrown, "stack");
  return stack === undefined ? { name, message } : { name, message, stack };
}

function readText(thrown: object, key: "name" | "message" | "stack"): string | undefined {
  try {
    const text = (thrown as Record<string, unknown>)[key];
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
