import type { ListenOptions, PlainServer, ServerService } from "@kit/types";

import { NodeHost } from "./host.ts";
import type { HostLimits } from "./limits.ts";
import type { CheckedTimeouts } from "./timeouts.ts";

/**
 * Starts a node:http server without a framework. Implements `listenPlain` of the adapters on node:http.
 *
 * @example
 * ```ts
 * const options = checkOptions("myServer", {});
 * const { address, close } = await listenPlain(service, { port: 80 }, options);
 * ```
 */
export async function listenPlain(
  service: ServerService,
  where: ListenOptions,
  { timeouts, limits }: { readonly timeouts: CheckedTimeouts; readonly limits: HostLimits },
): Promise<PlainServer> {
  const host = NodeHost.of(undefined, service, timeouts, undefined, limits);
  const address = await host.listen(where);
  return { address, close: (options) => host.close(options) };
}
