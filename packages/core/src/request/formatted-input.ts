/** Reads request bodies that are not JSON, from the server. */
import { Readable } from "node:stream";

import type { CompiledBody, ServerExchange, Validator } from "@kit/types";

import type { BodyResult } from "../bodies/body-result.ts";
import { readFormattedBody } from "../bodies/formatted-body.ts";
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
