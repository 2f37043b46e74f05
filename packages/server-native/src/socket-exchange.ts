import type { ServerSocket, SocketEvents, SocketOptions } from "@kit/types";

import { headerText, NativeExchange } from "./exchange.ts";
import { NativeSocket } from "./socket.ts";

/** Request that asks for a WebSocket, to a route that accepts WebSockets. */
export class SocketExchange extends NativeExchange {
  acceptSocket(options: SocketOptions, events: SocketEvents): ServerSocket {
    const { addon, server, sockets } = this.host;
    const { messageBytes, compression, pingMs, protocol, headers } = options;
    const { id } = this;
    const isThere = addon.acceptSocket(
      server,
      id,
      messageBytes,
      compression ? 1 : 0,
      pingMs,
      protocol,
      headerText(headers),
    );
    this.forget();
    const socket = new NativeSocket(addon, server, id, events, sockets);
    // `closed` must not be called before the caller has the socket.
    if (isThere === 0) queueMicrotask(() => socket.abort());
    return socket;
  }
}
