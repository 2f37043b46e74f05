import type { ServerExchange, ServerService } from "@kit/types";

/**
 * Returns a service that passes each exchange to `around` before the given service. A call of `pass` passes the
 * exchange on to the given service. If `around` does not call `pass`, it must respond itself.
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
    ...(service.refuseUnseen !== undefined && {
      refuseUnseen: (exchange, error, about) =>
        around(exchange, () => service.refuseUnseen?.(exchange, error, about)),
    }),
    ...(service.logRefusal !== undefined && { logRefusal: (refusal) => service.logRefusal?.(refusal) }),
    ...(service.hasRoute !== undefined && { hasRoute: (path) => service.hasRoute?.(path) === true }),
  };
}
