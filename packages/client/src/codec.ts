/**
 * Describes at which properties and items a JSON value has types that JSON lacks, such as `Date`. Generated:
 * `.kit/client/index.ts` has a codec for each response with such types.
 *
 * - `"$date"`, `"$bigint"`, `"$bytes"`: a string that is converted to that type
 * - `"$date?"`, `"$bigint?"`, `"$bytes?"`: for a union with `string`. Other strings are not changed
 * - any other string: the codec of that name in {@link Codecs.types}
 * - an object: the codecs of its properties
 * - `["each", codec]`: all items of an array
 * - `["tuple", [codec, …], rest]`: items by their index. `null` if an item needs no conversion
 * - `["rest", object, codec]`: an object with its undeclared properties
 * - `["by", property, { value: codec }]`: an object, by the value of one of its properties
 * - `["all", codec, …]`: all of these codecs, one after the other, for example for a value that is an array
 *   or an object
 */
export type Codec =
  | string
  | { readonly [property: string]: Codec }
  | readonly ["each", Codec]
  | readonly ["tuple", readonly (Codec | null)[], Codec | null]
  | readonly ["rest", { readonly [property: string]: Codec }, Codec]
  | readonly ["by", string, { readonly [value: string]: Codec }]
  | readonly ["all", ...Codec[]];

/** Codecs of types, by name. */
export interface NamedCodecs {
  readonly [name: string]: Codec;
}

declare const generated: unique symbol;
declare const errors: unique symbol;

/**
 * Phantom type of the generated routes of an API with the option `errors`. Tells {@link Client} the type of
 * the error bodies and the status of validation errors.
 */
export interface ApiErrors<Body, ValidationStatus extends 400 | 422> {
  readonly [errors]: { readonly body: Body; readonly validationStatus: ValidationStatus };
}

/**
 * Phantom type of generated routes. {@link CodecsOption} requires the generated codecs for routes that extend
 * it.
 */
export interface Generated {
  readonly [generated]: true;
}

/** Type of the error bodies of an API. `unknown` if it declares none. */
export type ErrorBodyOf<Routes> = Routes extends ApiErrors<infer Body, 400 | 422> ? Body : unknown;

/** Status of the validation errors of an API. */
export type ValidationStatusOf<Routes> = Routes extends ApiErrors<unknown, infer Status> ? Status : 400;

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const BIGINT = /^-?\d+$/;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes a parsed JSON value. Changes objects and arrays in place. */
export function decode(codec: Codec, value: unknown, types: NamedCodecs): unknown {
  if (typeof codec === "string")
    return codec.startsWith("$") ? scalar(codec, value) : decode(types[codec]!, value, types);
  if (typeof value !== "object" || value === null) return value;
  if (!isTagged(codec)) {
    if (!Array.isArray(value)) properties(codec, value as Record<string, unknown>, types);
    return value;
  }
  switch (codec[0]) {
    case "all": {
      let result: unknown = value;
      for (const each of codec.slice(1) as Codec[]) result = decode(each, result, types);
      return result;
    }
    case "each":
    case "tuple": {
      if (!Array.isArray(value)) return value;
      const items = value as unknown[];
      for (let index = 0; index < items.length; index++) {
        const item = codec[0] === "each" ? codec[1] : index < codec[1].length ? codec[1][index] : codec[2];
        if (item) items[index] = decode(item, items[index], types);
      }
      return value;
    }
    case "by": {
      const kind = (value as Record<string, unknown>)[codec[1]];
      const member = Object.hasOwn(codec[2], String(kind)) ? codec[2][String(kind)] : undefined;
      return member === undefined || Array.isArray(value) ? value : decode(member, value, types);
    }
    case "rest": {
      if (Array.isArray(value)) return value;
      const object = value as Record<string, unknown>;
      properties(codec[1], object, types);
      for (const key of Object.keys(object)) {
        if (!Object.hasOwn(codec[1], key)) object[key] = decode(codec[2], object[key], types);
      }
      return value;
    }
  }
}

function isTagged(
  codec: Exclude<Codec, string>,
): codec is Exclude<Codec, string | { readonly [property: string]: Codec }> {
  return Array.isArray(codec);
}

function properties(
  codecs: { readonly [property: string]: Codec },
  object: Record<string, unknown>,
  types: NamedCodecs,
): void {
  for (const [key, codec] of Object.entries(codecs)) {
    if (Object.hasOwn(object, key)) object[key] = decode(codec, object[key], types);
  }
}

/** Converts a string to the type of a codec that starts with `$`. */
export function scalar(codec: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  switch (codec) {
    case "$date?":
      return DATE.test(value) ? new Date(value) : value;
    case "$date":
      return new Date(value);
    case "$bigint?":
      return BIGINT.test(value) ? BigInt(value) : value;
    case "$bigint":
      return BigInt(value);
    case "$bytes?":
      return BASE64.test(value) ? bytes(value) : value;
    default:
      return bytes(value);
  }
}

function bytes(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Returns the JSON of a request body. */
export function encode(body: unknown): string {
  return JSON.stringify(body, (_key, value: unknown) => {
    if (typeof value === "bigint") return String(value);
    return value instanceof Uint8Array ? base64Of(value) : value;
  });
}

function base64Of(value: Uint8Array): string {
  let text = "";
  for (const byte of value) text += String.fromCharCode(byte);
  return btoa(text);
}
