import { app } from "./app.ts";

// The benchmark of kit's repository starts a further process with a certificate, which speaks TLS only.
const cert = process.env["ARENA_TLS_CERT"];
const key = process.env["ARENA_TLS_KEY"];

await app.listen({
  port: Number(process.env["PORT"] ?? 8080),
  host: process.env["HOST"] ?? "0.0.0.0",
  ...(cert && key && { tls: { cert, key, http2: true } }),
});
// The benchmark of kit's repository starts the application with a pipe, and ends the application by closing the pipe.
if (process.env["ARENA_PIPE"] !== undefined) process.stdin.resume().once("end", () => process.exit());
