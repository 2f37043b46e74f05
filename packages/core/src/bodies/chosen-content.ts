import type { CompiledContent } from "@kit/types";

import { isThenable } from "../thenable.ts";
import { type Offer, preferredOffer } from "./accept.ts";

/** Value of a response whose contract has a union of formats, with the format that the request chose. */
export class ChosenContent {
  readonly content: CompiledContent;
  readonly value: unknown;

  constructor(content: CompiledContent, value: unknown) {
    this.content = content;
    this.value = value;
  }
}

const utf8: ReadonlyMap<string, string> = new Map([["charset", "utf-8"]]);
const noParameters: ReadonlyMap<string, string> = new Map();

/** Returns the media types of a response, in the order of the contract. */
export function offersOf(content: CompiledContent): readonly Offer[] {
  return (content.choices ?? [content]).map(({ format, mediaType }) => ({
    type: mediaType,
    // JSON is UTF-8 without a parameter, but clients ask for `application/json; charset=utf-8`.
    parameters: format === "bytes" ? noParameters : utf8,
  }));
}

/**
 * Calls the function of the format that the header `accept` chooses. If the client accepts none of the formats,
 * calls the function of the first format: the route refuses such requests before its handler runs, unless another
 * reply of the contract is acceptable.
 *
 * @param functions - Result of the handler: one function for each media type.
 * @throws {TypeError} If there is no function for the chosen media type.
 */
export function chooseContent(
  ref: string,
  union: CompiledContent,
  offers: readonly Offer[],
  functions: unknown,
  accept: string | undefined,
): ChosenContent | PromiseLike<ChosenContent> {
  const content = union.choices![Math.max(0, preferredOffer(accept, offers))]!;
  const { mediaType } = content;
  const isObject = typeof functions === "object" && functions !== null;
  const write: unknown =
    isObject && Object.hasOwn(functions, mediaType)
      ? (functions as Record<string, unknown>)[mediaType]
      : undefined;
  if (typeof write !== "function") {
    const all = union.choices!.map((choice) => `"${choice.mediaType}": () => …`).join(", ");
    throw new TypeError(
      `The handler of ${ref} returned no function for the media type ${mediaType}; return { ${all} }`,
    );
  }
  const value: unknown = write.call(functions);
  return isThenable(value)
    ? value.then((later) => new ChosenContent(content, later))
    : new ChosenContent(content, value);
}
