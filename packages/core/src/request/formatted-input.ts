/** Reads request bodies that are not JSON, and bodies whose content type chooses their format, from the server. */
import { Readable } from "node:stream";

import type { CompiledBody, ServerExchange, Validator } from "@kit/types";

import type { BodyResult } from "../bodies/body-result.ts";
import { readFormattedBody } from "../bodies/formatted-body.ts";
import { isInRanges, isJsonType, type MediaType, parseMediaType } from "../bodies/media-type.ts";
import { findUnstorable, mayContainUnstorable } from "../unstorable-characters.ts";
import { parseJsonText, readJsonText } from "./body.ts";
import { invalidSlot, partsTooLarge } from "./refusals.ts";
import { asBodyFailure, StreamedBody } from "./streamed-body.ts";

/**
 * Reads and checks a body that is not JSON. `limit` is the maximum size of the body, `declared` the type of its content. The
 * result is a promise only if the body has an upload.
 */
export function readFormattedInput(
  exchange: ServerExchange,
  limit: number,
  format: CompiledBody,
  declared: Pick<Validator<unknown>, "name">,
): BodyResult | Promise<BodyResult> {
  if (format.choices !== undefined) return readChosen(exchange, limit, format, format.choices, declared);
  return readFormattedBody(exchange, format, () => openChunks(exchange, limit), {
    refuse: (failures) => asBodyFailure(invalidSlot("body", declared, failures)),
    partsTooLarge,
  });
}

/** Returns the body in chunks. An adapter without streams has the whole body, which is then the only chunk. */
function openChunks(exchange: ServerExchange, limit: number): AsyncIterable<Uint8Array> {
  if (exchange.readBody === undefined) return Readable.from([exchange.bodyBytes()]);
  return new StreamedBody(exchange.readBody(), limit);
}

/** Reads a body whose content type chooses its format. The value of the handler is `{ type, value }`. */
function readChosen(
  exchange: ServerExchange,
  limit: number,
  { mediaTypes }: CompiledBody,
  choices: readonly CompiledBody[],
  declared: Pick<Validator<unknown>, "name">,
): BodyResult | Promise<BodyResult> {
  const types = mediaTypes.join(" or ");
  const header = exchange.header("content-type");
  if (header === undefined) {
    if (exchange.bodyLength > 0) return { unsupported: `The request has no content type; send ${types}` };
    const suggestion = `Send a body with the header \`content-type\`: ${types}`;
    return {
      failures: [
        { path: "$", expected: types, received: "nothing", value: null, rule: "required", suggestion },
      ],
    };
  }
  const type = parseMediaType(header);
  const choice = type && choiceOf(choices, type);
  if (type === undefined || choice === undefined) {
    const found =
      type === undefined
        ? "The request's content type is not a media type"
        : "The request has another content type";
    return { unsupported: `${found}; send ${types}` };
  }
  if (choice.format === "json")
    return tagged("application/json", choice, readJson(exchange, choice.validator!));
  const result = readFormattedInput(exchange, limit, choice, choice.validator ?? declared);
  return result instanceof Promise
    ? result.then((later) => tagged(type.type, choice, later))
    : tagged(type.type, choice, result);
}

/** Returns the format of a content type. A format that names the media type comes before JSON, which has many names. */
function choiceOf(choices: readonly CompiledBody[], { type }: MediaType): CompiledBody | undefined {
  const named = choices.find(({ mediaTypes }) => isInRanges(type, mediaTypes));
  if (named !== undefined || !isJsonType(type)) return named;
  return choices.find(({ format }) => format === "json");
}

function readJson(exchange: ServerExchange, validator: Validator<unknown>): BodyResult {
  const text = readJsonText(exchange, validator);
  const value = parseJsonText(exchange, validator, text);
  if (!validator.is(value)) return { failures: validator.failures(value) };
  return { value: validator.decode(value), mayBeUnstorable: mayContainUnstorable(text) };
}

/** Returns the value with its media type. The paths of failures begin at the value, which is the body on the wire. */
function tagged(type: string, { validator }: CompiledBody, result: BodyResult): BodyResult {
  if ("unsupported" in result) return result;
  const own = { type: validator?.name };
  if ("failures" in result) return { ...result, ...own };
  const { value, mayBeUnstorable } = result;
  const failure = mayBeUnstorable ? findUnstorable(value) : undefined;
  if (failure !== undefined) return { failures: [failure], ...own };
  return { value: { type, value }, mayBeUnstorable: false };
}
