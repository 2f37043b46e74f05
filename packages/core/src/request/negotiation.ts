/** Responses whose format the header `accept` of the request chooses. */
import type { CompiledContent, CompiledRoute } from "@kit/types";

import { type Offer, preferredOffer } from "../bodies/accept.ts";
import { chooseContent, type ChosenContent, offersOf } from "../bodies/chosen-content.ts";
import { isThenable } from "../thenable.ts";
import { RawResponse } from "./raw-response.ts";
import { notAcceptable } from "./refusals.ts";
import { DeclaredReply, type Replies } from "./reply.ts";

/** Negotiation of a route with at least one response that is a union of formats. */
export class Negotiation {
  readonly #ref: string;
  readonly #response: CompiledContent | undefined;
  readonly #replies: Replies | undefined;
  /** Media types of all responses of the contract. */
  readonly #all: readonly Offer[];
  readonly #offers = new Map<CompiledContent, readonly Offer[]>();

  private constructor({ ref, responseFormat, replies }: CompiledRoute) {
    this.#ref = ref;
    this.#response = responseFormat;
    this.#replies = replies;
    const bodies = Object.values(replies ?? {}).map(({ body, content }) =>
      body === null ? content : jsonContent,
    );
    const contents = [responseFormat, ...bodies].filter((content) => content !== undefined);
    for (const content of contents) this.#offers.set(content, offersOf(content));
    this.#all = [...this.#offers.values()].flat();
  }

  /** Returns the negotiation of a route. `undefined` if each response of the contract has one format. */
  static of(compiled: CompiledRoute): Negotiation | undefined {
    const replies = Object.values(compiled.replies ?? {}).map(({ content }) => content);
    const hasUnion = [compiled.responseFormat, ...replies].some((content) => content?.format === "oneof");
    return hasUnion ? new Negotiation(compiled) : undefined;
  }

  /**
   * Checks, before the handler runs, that the client accepts a response of the contract.
   *
   * @throws {AppError} If the client accepts none.
   */
  check(accept: string | undefined): void {
    if (preferredOffer(accept, this.#all) === -1)
      throw notAcceptable([...new Set(this.#all.map(({ type }) => type))]);
  }

  /** Returns the handler with the chosen format in its result. Expects the header as the property `accept` of the input. */
  around<TInput extends { readonly accept?: string | undefined }>(
    handler: (input: Omit<TInput, "accept">) => unknown,
  ): (input: TInput) => unknown {
    return ({ accept, ...input }) => {
      const result = handler(input);
      return isThenable(result)
        ? result.then((later) => this.#chosen(later, accept))
        : this.#chosen(result, accept);
    };
  }

  #chosen(result: unknown, accept: string | undefined): unknown {
    if (result instanceof RawResponse) return result;
    if (!(result instanceof DeclaredReply)) {
      return this.#response?.format === "oneof" ? this.#choose(this.#response, result, accept) : result;
    }
    const { status, body, headers } = result;
    const replies = this.#replies ?? {};
    const content = Object.hasOwn(replies, status) ? replies[status]!.content : undefined;
    if (content?.format !== "oneof") return result;
    const chosen = this.#choose(content, body, accept);
    return isThenable(chosen)
      ? chosen.then((later) => new DeclaredReply(status, later, headers))
      : new DeclaredReply(status, chosen, headers);
  }

  #choose(
    content: CompiledContent,
    functions: unknown,
    accept: string | undefined,
  ): ChosenContent | PromiseLike<ChosenContent> {
    return chooseContent(this.#ref, content, this.#offers.get(content)!, functions, accept);
  }
}

/** Content of a reply that is JSON. */
const jsonContent: CompiledContent = { format: "json", mediaType: "application/json" };
