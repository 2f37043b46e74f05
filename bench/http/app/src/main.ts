import { app } from "./app.ts";

// Exits when the benchmark exits or is killed, because its end of the pipe closes then.
process.stdin.resume().once("end", () => process.exit());
const { PORT, BENCH_TLS_CERT: cert, BENCH_TLS_KEY: key } = process.env;
await app.listen({
  port: Number(PORT),
  host: "127.0.0.1",
  ...(cert && key && { tls: { cert, key, http2: true } }),
});
