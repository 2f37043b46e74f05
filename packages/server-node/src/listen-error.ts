import { existsSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";

import type { ListenAddress, ListenOptions } from "@kit/types";

/**
 * Converts an error of `listen` to an error whose message explains what to do. The new error has the same
 * `code`, such as `EADDRINUSE`.
 */
export function listenError(cause: unknown, where: ListenOptions): unknown {
  if (!(cause instanceof Error)) return cause;
  return where.path === undefined ? portError(cause, where) : pathError(cause, where.path);
}

function portError(cause: NodeJS.ErrnoException, { port, host }: ListenOptions): Error {
  const at = host === undefined ? `port ${port}` : `${host}, port ${port}`;
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `Cannot listen on ${at}: the port is in use. Stop the program that uses the port, or choose another port`,
    EACCES: `Cannot listen on ${at}: not permitted. Ports below 1024 often need a privilege`,
    EADDRNOTAVAIL: `Cannot listen on ${at}: this machine has no such address`,
    ENOTFOUND: `Cannot listen on ${at}: the host name cannot be resolved`,
  };
  const { code } = cause;
  const message = messages[code ?? ""];
  return message === undefined ? cause : Object.assign(new Error(message, { cause }), { code, port });
}

function pathError(cause: NodeJS.ErrnoException, path: string): Error {
  // Node reports `EACCES` for a missing directory too.
  const code = cause.code === "EACCES" && !existsSync(dirname(path)) ? "ENOENT" : cause.code;
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE:
      "another server listens on it, or the file is not a socket. Stop the server that uses the socket, or choose another path",
    EACCES: "the directory does not permit it",
    ENOENT: "the directory does not exist",
  };
  const message = `Cannot listen on ${path}: ${messages[code ?? ""] ?? cause.message}`;
  return Object.assign(new Error(message, { cause }), { code, path });
}

/** Returns the address that a server listens on. */
export function addressOf(server: Server, hasTls: boolean): ListenAddress {
  const address = server.address() as AddressInfo | string;
  if (typeof address === "string") return { host: "", port: 0, path: address, url: `unix:${address}` };
  const { port, address: host } = address;
  const isEverywhere = host === "::" || host === "0.0.0.0";
  const name = isEverywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return { host, port, url: `${hasTls ? "https" : "http"}://${name}:${port}` };
}
