import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Range of the ports for new servers. The range is below the ports that operating systems choose for outgoing connections (from 32768 on
 * Linux, from 49152 elsewhere), because such a connection could take the port while the server restarts.
 */
const FIRST = 20_000;
const LAST = 32_767;

/**
 * Returns the port `last` if it is free now or becomes free within `patienceMs`, otherwise another free port.
 * Returns `undefined` if no port is free.
 */
export async function choosePort(last: number, patienceMs: number): Promise<number | undefined> {
  if (Number.isInteger(last) && last > 0 && last < 65_536) {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      if ((await freePort(last)) === last) return last;
      if (Date.now() >= deadline) break;
      // oxlint-disable-next-line no-await-in-loop -- waits before the next attempt
      await sleep(50);
    }
  }
  for (let tries = 0; tries < 50; tries += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
    const port = await freePort(randomInt(FIRST, LAST + 1));
    if (port !== undefined) return port;
  }
  return freePort(0);
}

/** Returns the port if it is free, otherwise `undefined`. For port 0, returns any free port. */
function freePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(undefined));
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" ? address?.port : undefined));
    });
  });
}
