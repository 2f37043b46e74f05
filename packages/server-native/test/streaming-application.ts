/** Program that starts a server whose responses are streams of 12 MiB, and writes its port to standard output. Ends when its standard input ends. */
import type { ServerExchange } from "@kit/types";

import { serve } from "./support.ts";

const pieces = 200;
const pieceBytes = 64 * 1024;

function pour(exchange: ServerExchange): void {
  let left = pieces;
  const fill = (): void => {
    while (left > 0) {
      left -= 1;
      if (!writer.write(new Uint8Array(pieceBytes).fill(97))) return;
    }
    writer.end();
  };
  const writer = exchange.respondStream!(200, null, null, null, { drain: fill, abort: () => undefined });
  fill();
}

const app = await serve(pour);
process.stdout.write(`${app.address.port}\n`);
process.stdin.resume().once("end", () => process.exit());
