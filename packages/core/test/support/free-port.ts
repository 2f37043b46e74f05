import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Range of ports below those that operating systems assign to listeners on port 0 and to outgoing connections. */
const firstPort = 20_000;
const lastPort = 32_000;

/**
 * Returns a port that no process uses, for a program that cannot listen on port 0. A port that the operating system
 * assigns would be unsafe: the system may assign the same port to another test before the program listens, or while
 * the program is stopped.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, lastPort);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      // oxlint-disable-next-line no-await-in-loop -- the next port is tried only if this port is in use
      await once(server, "listening");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") continue;
      throw error;
    }
    server.close();
    // oxlint-disable-next-line no-await-in-loop
    await once(server, "close");
    return port;
  }
}
