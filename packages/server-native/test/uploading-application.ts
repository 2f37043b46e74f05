/** Program that starts a server that holds each request body for a moment, and writes its port to standard output. Ends when its standard input ends. */
import { serve } from "./support.ts";

const app = await serve(
  (exchange) => {
    const { length } = exchange.bodyBytes();
    setTimeout(() => exchange.respond(200, "application/json", String(length), null), 100);
  },
  { bodyBytes: 8 * 1024 * 1024 },
);
process.stdout.write(`${app.address.port}\n`);
process.stdin.resume().once("end", () => process.exit());
