import { scalar } from "./codec.ts";
import { textOf } from "./request.ts";

/**
 * Returns the text of a header: the items of an array are joined by commas. Returns `undefined` if the header is left
 * out. Throws a `TypeError` for an item with a comma outside quotes, because the server would read two items.
 */
export function headerText(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return textOf(value);
  const items = value.map(textOf);
  for (const item of items) {
    if (itemsOf(item).length !== 1) {
      throw new TypeError(
        `an item of the header ${name} cannot be ${JSON.stringify(item)}, because the server would not read this text as a single item`,
      );
    }
  }
  return items.join(", ");
}

/** Returns the header `cookie` of a call: cookies from other headers of the call, then the cookies of the contract. */
export function cookieText(
  other: string | null,
  cookies: Readonly<Record<string, unknown>>,
): string | undefined {
  const pairs = other === null ? [] : [other];
  for (const [name, value] of Object.entries(cookies)) {
    if (value !== undefined) pairs.push(`${name}=${encodeURIComponent(textOf(value))}`);
  }
  return pairs.length === 0 ? undefined : pairs.join("; ");
}

/**
 * Returns the declared headers of a reply. A codec is a list of types such as `number|date`, which are tried in this
 * order. A text that fits no type stays a string. `[]` after the types means that the header is a list.
 */
export function readHeaders(
  codecs: Readonly<Record<string, string>>,
  headers: Headers,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, codec] of Object.entries(codecs)) {
    const text = headers.get(name);
    if (text === null) continue;
    const [types, isList] = codec.endsWith("[]") ? [codec.slice(0, -2), true] : [codec, false];
    if (!isList) result[name] = valueOf(types, text);
    else {
      // A cookie contains commas, so that each is a header of its own.
      const items = name === "set-cookie" ? headers.getSetCookie() : itemsOf(text);
      result[name] = items.map((item) => valueOf(types, item));
    }
  }
  return result;
}

/** Splits a list at commas outside quoted strings (RFC 9110, section 5.6.1). */
function itemsOf(text: string): string[] {
  const items = text.match(/(?:"(?:\\.|[^"\\])*(?:"|\\?$)|[^",])+/gs) ?? [];
  return items.map((item) => item.trim()).filter((item) => item !== "");
}

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

function valueOf(types: string, text: string): unknown {
  for (const type of types.split("|")) {
    if (type === "number" && NUMBER.test(text)) return Number(text);
    if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
    if (type === "date" || type === "bigint" || type === "bytes") {
      const value = scalar(`$${type}?`, text);
      if (value !== text) return value;
    }
  }
  return text;
}
