/** Symbol under which `@kit/core`, on which adapters do not depend, has the exchange of a `ctx`. */
const exchangeSymbol: unique symbol = Symbol.for("kit.exchange");

/**
 * Returns the exchange that an adapter of a framework has created for the request of a `ctx`, so that the adapter can return the request of
 * its framework. `caller` is the function of the adapter, and `framework` its framework, for the error.
 *
 * @example
 * ```ts
 * export function expressRequest(ctx: object): Request {
 *   return exchangeOf(ctx, ExpressExchange, "expressRequest", "Express").expressRequest;
 * }
 * ```
 * @throws {TypeError} If `ctx` is no `ctx` of kit, or if its request did not come through the framework.
 */
export function exchangeOf<TExchange>(
  ctx: object,
  type: abstract new (...values: never[]) => TExchange,
  caller: string,
  framework: string,
): TExchange {
  const exchange = (ctx as { readonly [exchangeSymbol]?: unknown })[exchangeSymbol];
  if (exchange instanceof type) return exchange;
  if (exchange === undefined)
    throw new TypeError(`${caller}(ctx) needs the ctx of a handler or middleware of kit; pass it unchanged`);
  throw new TypeError(
    `${caller}(ctx): this request did not come through ${framework}; the application runs on another server or was called with app.fetch, or ${framework} has neither middleware nor routes`,
  );
}
