// TCP proxy that cuts connections at any byte. The address stays the same while servers behind the proxy come and go.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** Number of connections that were cut. */
  readonly cuts: number;
  /** Sets the port of the server. With `undefined`, connections are refused. */
  to(port: number | undefined): void;
  /** Cuts one of the open connections. The client receives a part of the next bytes before the end. */
  cut(random: () => number): void;
}

/** Starts a proxy without a server behind it. */
export async function cuttingProxy(): Promise<CuttingProxy> {
  const open = new Map<Socket, { end(random: () => number): void }>();
  let target: number | undefined;
  let cuts = 0;
  const proxy = createServer((client) => {
    if (target === undefined) return void client.destroy();
    const server = connect(target, "127.0.0.1");
    let random: (() => number) | undefined;
    const destroy = (): void => {
      open.delete(client);
      client.destroy();
      server.destroy();
    };
    open.set(client, { end: (given) => (random = given) });
    server.on("data", (bytes) => {
      if (random === undefined) return void client.write(bytes);
      const length = Math.floor(random() * (bytes.length + 1));
      cuts += 1;
      client.end(bytes.subarray(0, length), destroy);
      random = undefined;
      server.removeAllListeners("data");
    });
    client.on("data", (bytes) => server.write(bytes));
    for (const socket of [client, server]) socket.on("error", destroy).on("close", destroy);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    port: (proxy.address() as AddressInfo).port,
    get cuts() {
      return cuts;
    },
    to: (port) => void (target = port),
    cut: (random) => {
      const all = [...open.values()];
      all[Math.floor(random() * all.length)]?.end(random);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open.keys()) socket.destroy();
      proxy.close();
      await once(proxy, "close");
    },
  };
}
