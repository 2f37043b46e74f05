import type { AttributeValue } from "@kit/types";

/**
 * Converts an attribute value of OpenTelemetry to a value of kit. Returns `undefined` if there is no value.
 */
export function plainValue(value: unknown): AttributeValue | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}
