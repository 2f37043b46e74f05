const name = "order-attempt";

/**
 * Returns the key of the current attempt to order. If the response to an order is lost, the visitor tries again with the same
 * key, also after the page was loaded again. So the shop orders once.
 */
export function attemptKey(): string {
  const key = sessionStorage.getItem(name) ?? crypto.randomUUID();
  sessionStorage.setItem(name, key);
  return key;
}

/** Ends the attempt, because the order was placed or the cart has changed. The next order gets a new key. */
export function endAttempt(): void {
  sessionStorage.removeItem(name);
}
