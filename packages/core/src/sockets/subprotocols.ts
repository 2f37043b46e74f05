/** Token (RFC 9110, section 5.6.2). */
const token = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;

/**
 * Returns the first subprotocol of a client's offer that the server supports, because a client offers its preferred
 * subprotocol first (RFC 6455, section 4.1). Returns `null` if the server supports none of them, and `undefined` if the offer
 * is not a list of distinct tokens.
 *
 * @param offer - Value of the header `sec-websocket-protocol`.
 */
export function chooseSubprotocol(offer: string, supported: readonly string[]): string | null | undefined {
  const offered = offer.split(",").map((name) => name.replace(/^[ \t]+|[ \t]+$/g, ""));
  if (!offered.every((name) => token.test(name)) || new Set(offered).size < offered.length) return undefined;
  return offered.find((name) => supported.includes(name)) ?? null;
}
