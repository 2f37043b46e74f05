import type { ListenAddress, ListenOptions } from "@kit/types";

import { checkTls } from "./tls.ts";

/** Address that an application listens on: a port, or a Unix socket. */
export type AppListenOptions =
  | ListenOptions
  | (Pick<Required<ListenOptions>, "path"> & Pick<ListenOptions, "tls">);

/** Validates the address to listen on. */
export function readListen(options: AppListenOptions): ListenOptions {
  const { path } = options;
  checkTls(options.tls);
  if (path !== undefined) {
    if (typeof path === "string" && path !== "" && !path.includes("\0")) {
      if (options.tls?.redirectFrom !== undefined && options.tls.redirectTo === undefined)
        throw new TypeError(
          "listen: `tls.redirectFrom` with `path` needs `tls.redirectTo`, because a Unix socket has no port",
        );
      return { ...options, port: 0 };
    }
    throw new TypeError(`listen: \`path\` must be the path of a Unix socket, not ${JSON.stringify(path)}`);
  }
  const { port } = options as ListenOptions;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new RangeError(`listen: \`port\` must be an integer from 0 to 65535, not ${String(port)}`);
  }
  if (options.tls?.redirectFrom === port && port !== 0)
    throw new TypeError(
      `listen: \`tls.redirectFrom\` is ${port}, the port of the server; give the port of plain HTTP, such as 80`,
    );
  return { ...options, port };
}

/**
 * Throws if the adapter ignored the option `path`: an adapter without support for Unix sockets listens on a
 * random TCP port.
 */
export function checkPath(options: ListenOptions, address: ListenAddress, adapter: string): void {
  if (options.path === undefined || address.path !== undefined) return;
  throw new Error(`listen: the server adapter \`${adapter}\` cannot listen on a Unix socket`);
}
