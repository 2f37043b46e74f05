/** Item of a list: a token (RFC 9110, section 5.6.2) between blanks and tabs. */
const item = /^[ \t]*([A-Za-z0-9!#$%&'*+\-.^_`|~]+)[ \t]*$/;

/**
 * Returns the first subprotocol of a client's offer that the server supports, because a client offers its preferred
 * subprotocol first (RFC 6455, section 4.1). Returns `null` if the server supports none of them, and `undefined` if the offer
 * is not a list of distinct tokens.
 *
 * @param offer - Value of the header `sec-websocket-protocol`.
 */
export function chooseSubprotocol(offer: string, supported: readonly string[]): string | null | undefined {
  const offered = offer.split(",").map((text) => item.exec(text)?.[1]);
  if (offered.includes(undefined) || new Set(offered).size < offered.length) return undefined;
  return offered.find((name) => name !== undefined && supported.includes(name)) ?? null;
}
