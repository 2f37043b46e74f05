import type { ContractFormat } from "./contracts.ts";

/**
 * Returns the format of a request body by the header `content-type`. Returns the only format for any header, and `undefined` if the
 * header fits no format of a union.
 */
export function formatOf(
  formats: readonly ContractFormat[],
  contentType: string | undefined,
): ContractFormat | undefined {
  if (formats.length === 1) return formats[0];
  const type = (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
  const named = formats.find(({ types }) => types.some((range) => isInRange(type, range)));
  if (named !== undefined || !/[/+]json$/.test(type)) return named;
  return formats.find(({ format }) => format === "json");
}

function isInRange(type: string, range: string): boolean {
  if (range === "*/*") return type !== "";
  return range.endsWith("/*") ? type.startsWith(range.slice(0, -1)) : type === range;
}
