/** Sends one request to a server and reads the response. */
import { connect } from "node:net";
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

/** Sends a request on a new connection, which the server closes after the response. Rejects if the response does not end in time. */
export async function exchange(port: number, request: Buffer): Promise<Response> {
  const socket = connect(port, "127.0.0.1");
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
  const coding = headers.get("content-encoding");
  const body = coding === "gzip" ? gunzipSync(whole) : coding === "br" ? brotliDecompressSync(whole) : whole;
  return { status: Number(status.split(" ")[1]), headers, body };
}
