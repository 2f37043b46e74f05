// Client that sends any bytes and parses the responses.

import { connect } from "node:net";

/** Response of a server. */
export interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Data that a client has received on one connection, as a Latin-1 string. */
export interface Received {
  readonly text: string;
  /** True if the client gave up, because the server neither responded nor closed the connection in time. */
  readonly timedOut: boolean;
}

/**
 * Sends bytes on a new connection, and reads until the server closes it. With `ends`, the client closes its sending side, so that the
 * server does not wait for more bytes.
 */
export function sendBytes(port: number, bytes: Buffer, timeoutMs = 1000, ends = false): Promise<Received> {
  const { promise, resolve } = Promise.withResolvers<Received>();
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const chunks: Buffer[] = [];
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    socket.destroy();
  }, timeoutMs);
  // A server that has closed the connection may reset it while the client still sends.
  socket.on("error", () => undefined).on("data", (chunk) => chunks.push(chunk));
  socket.on("close", () => {
    clearTimeout(timer);
    resolve({ text: Buffer.concat(chunks).toString("latin1"), timedOut });
  });
  if (ends) socket.end(bytes);
  else socket.write(bytes);
  return promise;
}

/**
 * Parses the received responses. Leaves out the last one if the client gave up before it was complete.
 *
 * @throws {Error} if bytes are not a response. The message contains the bytes.
 */
export function readResponses({ text, timedOut }: Received): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  while (rest !== "") {
    const found = /^HTTP\/1\.[01] (\d{3}) [^]*?\r\n\r\n/.exec(rest);
    if (found === null) {
      if (timedOut) break;
      throw new Error(`these bytes are no answer: ${JSON.stringify(rest.slice(0, 300))}`);
    }
    const [head] = found;
    rest = rest.slice(head.length);
    // A response to HEAD has the headers of a body, but no body follows.
    const body = rest.startsWith("HTTP/1.") ? "" : bodyAt(rest, head);
    rest = rest.slice(body.length);
    responses.push({ status: Number(found[1]), head, body });
  }
  return responses;
}

function bodyAt(rest: string, head: string): string {
  if (/\r\ntransfer-encoding: chunked\r\n/i.test(head)) {
    return /^(?:[0-9a-f]+\r\n[^]*?\r\n)*?0\r\n\r\n/i.exec(rest)?.[0] ?? rest;
  }
  return rest.slice(0, Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0));
}

/** Returns the value of a response header. */
export function fieldOf({ head }: RawResponse, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: ([^\\r]*)\\r\\n`, "i").exec(head)?.[1];
}
