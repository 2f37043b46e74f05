import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import type { ListenAddress } from "@kit/types";

/** Errors of the operating system in words that say what to do, with Node's codes. */
export function listenError(cause: unknown, port: number, host: string | undefined): unknown {
  if (!(cause instanceof Error)) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  const at = host === undefined ? `port ${port}` : `${host}, port ${port}`;
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `Cannot listen on ${at}: the port is in use. Stop what uses it, or choose another port`,
    EACCES: `Cannot listen on ${at}: not permitted. Ports below 1024 often need a privilege`,
    EADDRNOTAVAIL: `Cannot listen on ${at}: this machine has no such address`,
    ENOTFOUND: `Cannot listen on ${at}: the host is not known`,
  };
  const message = messages[code ?? ""];
  return message === undefined ? cause : Object.assign(new Error(message, { cause }), { code, port });
}

/** Where a server listens. */
export function addressOf(server: Server): ListenAddress {
  const { port, address: host } = server.address() as AddressInfo;
  const isEverywhere = host === "::" || host === "0.0.0.0";
  const name = isEverywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return { host, port, url: `http://${name}:${port}` };
}
