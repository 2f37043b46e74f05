/** Sends one request to a server and reads the response. */
import { once } from "node:events";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

import { joined } from "../http/response-body.ts";

/** Response without chunks and without compression. */
export interface Response {
  readonly status: number;
  /** Headers by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** Longest time of a response, in milliseconds. */
const limit = 30_000;

/**
 * Sends a request on a new connection, which the server closes after the response. Rejects if the response does not end in time.
 *
 * @param authority Certificate of the authority that signed the server's certificate. Without one, the connection has no TLS.
 */
export async function exchange(port: number, request: Buffer, authority?: string): Promise<Response> {
  const address = { port, host: "127.0.0.1" };
  const socket = authority === undefined ? connect(address) : connectTls({ ...address, ca: authority });
  const line = request.indexOf("\r\n") + 2;
  const close = request.includes("Connection: close") ? "" : "Connection: close\r\n";
  // Does not call `end`: some servers treat a client that closes its side of the connection as gone.
  socket.write(Buffer.concat([request.subarray(0, line), Buffer.from(close), request.subarray(line)]));
  const tooSlow = new Error(`the response did not end within ${limit / 1000} s`);
  const timer = setTimeout(() => socket.destroy(tooSlow), limit);
  const bytes = Buffer.concat(await socket.toArray().finally(() => clearTimeout(timer)));
  const end = bytes.indexOf("\r\n\r\n");
  const [status = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = new Map(
    lines.map((text) => {
      const colon = text.indexOf(":");
      return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()] as const;
    }),
  );
  const received = bytes.subarray(end + 4);
  const whole = headers.get("transfer-encoding") === "chunked" ? joined(received) : received;
  return {
    status: Number(status.split(" ")[1]),
    headers,
    body: decoded(whole, headers.get("content-encoding")),
  };
}

/**
 * Sends a request without a body over HTTP/2. Rejects if the response does not end in time.
 *
 * @param request Request as HTTP/1.1 sends it.
 * @param authority Certificate of the authority that signed the server's certificate.
 */
export async function exchangeHttp2(port: number, request: Buffer, authority: string): Promise<Response> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: authority });
  const tooSlow = new Error(`the response did not end within ${limit / 1000} s`);
  const timer = setTimeout(() => session.destroy(tooSlow), limit);
  try {
    const { target, headers } = headOf(request);
    const stream = session.request({ ...Object.fromEntries(headers), ":path": target });
    const failed = once(session, "error").then(([error]: unknown[]) => {
      throw error;
    });
    const answered = once(stream, "response").then(async ([received]: unknown[]) => {
      const body = Buffer.concat(await stream.toArray());
      return { received: received as IncomingHttpHeaders & { ":status": number }, body };
    });
    const { received, body } = await Promise.race([answered, failed]);
    const found = new Map(Object.entries(received).map(([name, value]) => [name, String(value)]));
    return {
      status: received[":status"],
      headers: found,
      body: decoded(body, found.get("content-encoding")),
    };
  } finally {
    clearTimeout(timer);
    session.destroy();
  }
}

/** Returns the target and the headers of a request as HTTP/2 has them: names in lower case, and no `Host`. */
export function headOf(request: Buffer): {
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
} {
  const [line = "", ...lines] = request.toString("latin1", 0, request.indexOf("\r\n\r\n")).split("\r\n");
  const headers = lines
    .map((text) => {
      const colon = text.indexOf(":");
      return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()] as const;
    })
    .filter(([name]) => name !== "host");
  return { target: line.split(" ")[1]!, headers };
}

function decoded(body: Buffer, coding: string | undefined): Buffer {
  return coding === "gzip" ? gunzipSync(body) : coding === "br" ? brotliDecompressSync(body) : body;
}
