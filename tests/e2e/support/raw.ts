import { connect } from "node:net";

/** Sends bytes. Returns everything that is received until the server closes the connection, or until no data arrives for `quietMs`. */
export async function raw(port: number, request: string | Uint8Array, quietMs = 500): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.setTimeout(quietMs, () => socket.destroy());
  socket.on("connect", () => socket.write(request));
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", (error: NodeJS.ErrnoException) => {
    // A server that refuses a request early may reset the connection after its response.
    if (error.code !== "ECONNRESET" && error.code !== "EPIPE") reject(error);
  });
  socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  return promise;
}

/** Returns the status in the bytes of a response. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}
