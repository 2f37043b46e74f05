import type { ServerExchange, ServerService } from "@kit/types";

/**
 * Returns a service that calls `around` for each exchange. `around` either calls `pass`, which hands the
 * exchange to the given service, or responds itself.
 */
export function serviceAround(
  service: ServerService,
  around: (exchange: ServerExchange, pass: () => void) => void,
): ServerService {
  return {
    tree: service.tree,
    routes: service.routes,
    limits: service.limits,
    ...(service.bodyLimits !== undefined && { bodyLimits: service.bodyLimits }),
    ...(service.streamedBodies !== undefined && { streamedBodies: service.streamedBodies }),
    ...(service.socketRoutes !== undefined && { socketRoutes: service.socketRoutes }),
    ...(service.socketKinds !== undefined && { socketKinds: service.socketKinds }),
    handle: (exchange) => around(exchange, () => service.handle(exchange)),
    fail: (exchange, error) => around(exchange, () => service.fail(exchange, error)),
    ...(service.refuseUnseen !== undefined && {
      refuseUnseen: (exchange, error, about) =>
        around(exchange, () => service.refuseUnseen?.(exchange, error, about)),
    }),
    ...(service.logRefusal !== undefined && { logRefusal: (refusal) => service.logRefusal?.(refusal) }),
    ...(service.logAnswer !== undefined && { logAnswer: (answer) => service.logAnswer?.(answer) }),
    ...(service.hasRoute !== undefined && { hasRoute: (path) => service.hasRoute?.(path) === true }),
    ...(service.serves !== undefined && {
      serves: (method, target) => service.serves?.(method, target) === true,
    }),
    ...(service.errorBodies !== undefined && { errorBodies: service.errorBodies }),
    ...(service.servedFiles !== undefined && { servedFiles: service.servedFiles }),
    ...(service.responseRules !== undefined && { responseRules: service.responseRules }),
  };
}
