import type { DevelopmentLink, ListenAddress, ListenOptions, ServerAdapter, ServerService } from "@kit/types";

import { watchedService } from "./development-link.ts";
import { StartError } from "./start-error.ts";

/** Returns a port to suggest if `port` is in use: the next one. */
const next = (port: number): number => (port < 65_535 ? port + 1 : port - 1);

/**
 * Starts the server. Under `kit dev`, `link` determines the address and observes the service.
 *
 * @throws {StartError} If the operating system refuses the address.
 */
export async function listenOn(
  server: ServerAdapter,
  service: ServerService,
  options: ListenOptions,
  link: DevelopmentLink | undefined,
): Promise<ListenAddress> {
  const where = link === undefined ? options : await link.resolveAddress(options);
  try {
    return await server.listen(link === undefined ? service : watchedService(service, link), where);
  } catch (error) {
    throw listenFailure(error, where, link !== undefined);
  }
}

/**
 * Explains why an adapter cannot listen, from the error codes of Node's `net`. Returns other errors unchanged.
 *
 * @param isDeveloped - True if `kit dev` runs the application and can choose the port.
 */
export function listenFailure(error: unknown, options: ListenOptions, isDeveloped: boolean): unknown {
  if (!(error instanceof Error) || error instanceof StartError) return error;
  const { code } = error as NodeJS.ErrnoException;
  const { port, host, path, fd } = options;
  if (code === "ERR_KIT_TLS") {
    const { help = "give files in PEM that belong together" } = error as { help?: string };
    const locations = ["in the option `tls` of `listen`"];
    return new StartError({ problem: error.message, locations, help, cause: error, properties: { code } });
  }
  if (code === undefined || fd !== undefined) return error;
  const properties = { code, ...(path === undefined ? { port } : { path }) };
  const fail = (what: string, help: string): StartError =>
    new StartError({
      problem: `${what} (${code})`,
      locations: [at(options)],
      help,
      cause: error,
      properties,
    });
  if (path !== undefined) {
    switch (code) {
      case "EADDRINUSE":
        return fail(
          "the Unix socket is in use: another server listens on it, or the file is not a socket",
          "stop the server that uses the socket, or choose another path",
        );
      case "EACCES":
        return fail("cannot create the Unix socket: the directory does not permit it", "choose another path");
      case "ENOENT":
        return fail(
          "cannot create the Unix socket: the directory does not exist",
          `make it, or choose another path`,
        );
      default:
        return error;
    }
  }
  switch (code) {
    case "EADDRINUSE":
      return fail(
        `port ${port} is in use by another program`,
        `stop that program (\`${whoListens(port)}\` names it), or choose another port: ${otherPort(port, isDeveloped)}`,
      );
    case "EACCES":
      return fail(
        `port ${port} cannot be used: the system does not permit it`,
        `choose a port above 1023, or give the program the privilege to use port ${port}`,
      );
    case "EADDRNOTAVAIL":
      return fail(
        `this machine has no address ${host}`,
        "choose an address of this machine, or 127.0.0.1 to accept connections from this machine only",
      );
    case "ENOTFOUND":
      return fail(
        `unknown host ${host}`,
        "choose an address of this machine, or 127.0.0.1 for this machine alone",
      );
    default:
      return error;
  }
}

function at({ path, host, port }: ListenOptions): string {
  if (path !== undefined) return `at ${path}`;
  return `at ${host ?? "every address"}, port ${port}`;
}

/** Returns a command that shows the program that listens on a port. */
function whoListens(port: number): string {
  return process.platform === "win32" ? `netstat -ano | findstr :${port}` : `lsof -i :${port}`;
}

function otherPort(port: number, isDeveloped: boolean): string {
  if (isDeveloped) return `\`kit dev --port ${next(port)}\``;
  // The program determines the port. Programs that `kit scaffold init` creates read the variable `PORT`.
  return `\`PORT=${next(port)}\` if the program reads it`;
}

/** Returns the error of a start whose port for redirects from plain HTTP cannot be used. */
export function redirectFailure(cause: unknown, port: number): unknown {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === undefined) return cause;
  const reason =
    code === "EADDRINUSE"
      ? "another program uses the port"
      : code === "EACCES"
        ? "the system does not permit the port"
        : message;
  return new StartError({
    problem: `plain HTTP cannot be redirected from port ${port}: ${reason} (${code})`,
    locations: ["in the option `tls.redirectFrom` of `listen`"],
    help: "make the port available to this program, choose another port, or leave the option out",
    cause,
    properties: { code, port },
  });
}
