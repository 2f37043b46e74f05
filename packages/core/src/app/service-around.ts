import type { ServerExchange, ServerService } from "@kit/types";

/**
 * Returns a service that hands each exchange to `around` before the given service answers it. `pass` has it answered; without `pass`,
 * `around` answers by itself.
 */
export function serviceAround(
  service: ServerService,
  around: (exchange: ServerExchange, pass: () => void) => void,
): ServerService {
  return {
    tree: service.tree,
    routes: service.routes,
    limits: service.limits,
    handle: (exchange) => around(exchange, () => service.handle(exchange)),
    fail: (exchange, error) => around(exchange, () => service.fail(exchange, error)),
    ...(service.refuse !== undefined && {
      refuse: (exchange, error, about) => around(exchange, () => service.refuse?.(exchange, error, about)),
    }),
    ...(service.refused !== undefined && { refused: (refusal) => service.refused?.(refusal) }),
    ...(service.hasRoute !== undefined && { hasRoute: (path) => service.hasRoute?.(path) === true }),
  };
}
