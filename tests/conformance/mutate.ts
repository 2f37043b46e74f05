// Mutates the inputs of a fuzzer.

import type { Random } from "../property/support/random.ts";
import { randomRequest } from "./hostile.ts";

/** Maximum length of an input in bytes. */
const longest = 3000;

/** Strings that mean something to an HTTP server. */
const pieces: readonly string[] = [
  "\r\n",
  "\r\n\r\n",
  "\n",
  "\r",
  ":",
  " ",
  "\t",
  "\0",
  "0\r\n\r\n",
  "5;a=b\r\n",
  "ffffffffffffffff\r\n",
  "Content-Length: 5\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Expect: 100-continue\r\n",
  "Connection: close\r\n",
  "Connection: Upgrade\r\nUpgrade: h2c\r\n",
  "Host: a\r\n",
  "HTTP/1.1",
  "HTTP/1.0",
  "GET /admin HTTP/1.1\r\nHost: a\r\n\r\n",
  "%2e%2e/",
  "\\",
  "*",
];

/** Returns a mutation of an input. It may contain fragments of another input or of a random request. */
export function mutate(random: Random, input: Buffer, other: Buffer): Buffer {
  let bytes = input;
  for (let count = 1 + random.below(4); count > 0; count--) {
    const at = random.below(bytes.length + 1);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    const length = 1 + random.below(1 << random.below(6));
    switch (random.below(9)) {
      case 0:
        bytes = Buffer.from(bytes);
        if (at < bytes.length) bytes[at]! ^= 1 << random.below(8);
        break;
      case 1:
        bytes = Buffer.concat([before, Buffer.of(random.below(256)), after]);
        break;
      case 2:
        bytes = Buffer.concat([before, after.subarray(length)]);
        break;
      case 3:
        bytes = Buffer.concat([before, after.subarray(0, length), after]);
        break;
      case 4:
      case 5:
        bytes = Buffer.concat([before, Buffer.from(random.pick(pieces), "latin1"), after]);
        break;
      case 6:
        bytes = Buffer.concat([before, other.subarray(random.below(other.length + 1))]);
        break;
      case 7:
        bytes = Buffer.concat([before, Buffer.from(randomRequest(random), "latin1"), after]);
        break;
      default:
        bytes = Buffer.concat([bytes, other]);
    }
  }
  return bytes.subarray(0, longest);
}
