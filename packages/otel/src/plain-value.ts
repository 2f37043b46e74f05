import type { AttributeValue } from "@kit/types";

/** An attribute of OpenTelemetry as one of kit; nothing where it has no value. */
export function plainValue(value: unknown): AttributeValue | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}
