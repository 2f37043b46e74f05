import type { Shape } from "@kit/core/codec";

import { resolve } from "../coverage/rules.ts";

/**
 * Returns the values of the declared headers of a response. Converts each text to the kind of its declared type, such as a number. A
 * text that cannot be converted stays a string, so that the later check of the type fails.
 */
export function headerValues(shape: Shape, headers: Headers): Record<string, unknown> {
  const object = resolve(shape);
  const properties = object.kind === "object" ? object.properties : [];
  const values: Record<string, unknown> = {};
  for (const { key, shape: type } of properties) {
    if (key === "set-cookie") {
      const cookies = headers.getSetCookie();
      if (cookies.length > 0) values[key] = kindsOf(type).has("array") ? cookies : cookies[0];
      continue;
    }
    const text = headers.get(key);
    if (text !== null) values[key] = valueOf(type, text);
  }
  return values;
}

function valueOf(shape: Shape, text: string): unknown {
  const resolved = resolve(shape);
  if (resolved.kind === "array") {
    return text.split(",").map((item) => valueOf(resolved.element, item.trim()));
  }
  const kinds = kindsOf(shape);
  if (kinds.has("string")) return text;
  if (
    (kinds.has("number") || kinds.has("literal")) &&
    /^-?[0-9]/.test(text) &&
    Number.isFinite(Number(text))
  ) {
    const isText = resolved.kind === "literal" && typeof resolved.value === "string";
    return isText ? text : Number(text);
  }
  const isBoolean = kinds.has("boolean") || kinds.has("literal");
  return isBoolean && (text === "true" || text === "false") ? text === "true" : text;
}

/** Returns the kinds that a type accepts, such as `string`. For a union, these are the kinds of its members. */
function kindsOf(shape: Shape): ReadonlySet<string> {
  const resolved = resolve(shape);
  if (resolved.kind !== "union") return new Set([resolved.kind]);
  return new Set(resolved.members.flatMap((member) => Array.from(kindsOf(member))));
}
