import type { Random } from "../support/random.ts";
import type { Sent } from "../support/request.ts";

/**
 * Request that is sent after every raw request. A server that accepted the raw request responds to this one too, and closes the connection.
 */
const LAST = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/** Requests that no HTTP library would send, because their headers or lengths are wrong. `%` stands for a path. */
const HEADS: readonly string[] = [
  "GET % HTTP/1.1\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
  "GET % HTTP/1.1\nHost: a\n\n",
  "GET % HTTP/1.1\r\nHost: a\n\r\n",
  "GET %\r\n\r\n",
  "GET %  HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET  % HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET\t% HTTP/1.1\r\nHost: a\r\n\r\n",
  " GET % HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET % HTTP/1.1 \r\nHost: a\r\n\r\n",
  "GET % HTTP/1.2\r\nHost: a\r\n\r\n",
  "GET % HTTP/2.0\r\nHost: a\r\n\r\n",
  "GET % http/1.1\r\nHost: a\r\n\r\n",
  "GET % HTTP/1.10\r\nHost: a\r\n\r\n",
  "GET % HTTP/1.0\r\n\r\n",
  "G@T % HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET %\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET %\u0000 HTTP/1.1\r\nHost: a\r\n\r\n",
  'GET %"<>^`{|} HTTP/1.1\r\nHost: a\r\n\r\n',
  "GET %#fragment HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET %\\ HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET %?a[]={}|^ HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET notes HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET ?a HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
  "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
  "CONNECT % HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http://a% HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http://b% HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET https://a% HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET ftp://a% HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http://u:p@a% HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http:// HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http://a HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET //a% HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\n: y\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nX\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
  "GET % HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nX: a\u0000b\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nX: a\u0001b\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nX: a\u007fb\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nX\u00e9: y\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\n(X): y\r\n\r\n",
  'GET % HTTP/1.1\r\nHost: a\r\n"X": y\r\n\r\n',
  "GET % HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx",
  "GET % HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\nx",
  "GET % HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
  "GET % HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
  "GET % HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\nx",
  "GET % HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nContent-Length: 001\r\n\r\nx",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n",
  "GET % HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n0\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\n0\n\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\nx\r\n0\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxyz\r\n0\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nx\r\n0\r\n\r\n",
  "\r\nGET % HTTP/1.1\r\nHost: a\r\n\r\n",
  "\r\n\r\n\r\nGET % HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  "GET % HTTP/1.1\r\nHost: a\r\n\r\nGET % HTTP/1.1\r\nHost: a\r\n\r\n",
  `GET % HTTP/1.1\r\nHost: a\r\n${"X: y\r\n".repeat(98)}\r\n`,
  `GET % HTTP/1.1\r\nHost: a\r\n${"X: y\r\n".repeat(99)}\r\n`,
  `GET % HTTP/1.1\r\nHost: a\r\n${"X: y\r\n".repeat(100)}\r\n`,
  `GET % HTTP/1.1\r\nHost: a\r\nX: ${"y".repeat(15_000)}\r\n\r\n`,
  `GET % HTTP/1.1\r\nHost: a\r\nX: ${"y".repeat(17_000)}\r\n\r\n`,
  `GET /${"y".repeat(8191)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `GET /${"y".repeat(8192)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `GET /${"y".repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `${"G".repeat(100)} % HTTP/1.1\r\nHost: a\r\n\r\n`,
  `GET % HTTP/1.1\r\nHost: a\r\n${"X".repeat(300)}: y\r\n\r\n`,
];

const PATHS = ["/notes", "/nothing", "/healthz", "/notes/1", "/"];

/** Characters that make the head of a request invalid. */
const PIECES = [
  "\r",
  "\n",
  "\r\n",
  " ",
  "\t",
  ":",
  "\u0000",
  "\u007f",
  "\u0080",
  "\u00ff",
  "/",
  "%",
  ",",
  '"',
  "\u000b",
  "HTTP/1.1",
  "\r\n\r\n",
  "Host: b\r\n",
  "Content-Length: 1\r\n",
];

/** Returns the bytes of a request, which is often invalid. */
export function raw(random: Random): Sent {
  const path = random.pick(PATHS);
  const head = random.pick(HEADS).replaceAll("%", path);
  const text = random.chance(0.7) ? head : broken(head, random);
  return {
    kind: "raw",
    method: "GET",
    target: path,
    headers: [],
    raw: Buffer.from(text + LAST, "latin1"),
    writes: false,
  };
}

function broken(head: string, random: Random): string {
  const at = random.int(0, head.length);
  return head.slice(0, at) + random.pick(PIECES) + head.slice(random.chance(0.5) ? at : at + 1);
}
