// A client that sends bytes as they are and takes the answers apart.

import { connect } from "node:net";

/** One answer of a server. */
export interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Everything that came back on one connection, as Latin-1. */
export interface Heard {
  readonly text: string;
  /** The server neither answered nor closed within the client's patience. */
  readonly isCut: boolean;
}

/**
 * Sends bytes on a connection of their own, and reads until the server closes it. `ends`: the client says that nothing more comes, so
 * that no server waits for it.
 */
export function sendBytes(port: number, bytes: Buffer, patienceMs = 1000, ends = false): Promise<Heard> {
  const { promise, resolve } = Promise.withResolvers<Heard>();
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const chunks: Buffer[] = [];
  let isCut = false;
  const timer = setTimeout(() => {
    isCut = true;
    socket.destroy();
  }, patienceMs);
  // A server that has closed may reset what is sent to it.
  socket.on("error", () => undefined).on("data", (chunk) => chunks.push(chunk));
  socket.on("close", () => {
    clearTimeout(timer);
    resolve({ text: Buffer.concat(chunks).toString("latin1"), isCut });
  });
  if (ends) socket.end(bytes);
  else socket.write(bytes);
  return promise;
}

/**
 * Takes answers apart. An answer that a client has given up on in the middle is left out.
 *
 * @throws {Error} that names the bytes that are no answer.
 */
export function readResponses({ text, isCut }: Heard): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  while (rest !== "") {
    const found = /^HTTP\/1\.[01] (\d{3}) [^]*?\r\n\r\n/.exec(rest);
    if (found === null) {
      if (isCut) break;
      throw new Error(`these bytes are no answer: ${JSON.stringify(rest.slice(0, 300))}`);
    }
    const [head] = found;
    rest = rest.slice(head.length);
    // An answer to HEAD has the fields of a body that does not come.
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

/** A field of an answer. */
export function fieldOf({ head }: RawResponse, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: ([^\\r]*)\\r\\n`, "i").exec(head)?.[1];
}
