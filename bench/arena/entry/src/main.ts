import { app } from "./app.ts";

await app.listen({ port: Number(process.env["PORT"] ?? 8080), host: process.env["HOST"] ?? "0.0.0.0" });
// The benchmark of kit's repository starts the application with a pipe, and ends the application by closing the pipe.
if (process.env["ARENA_PIPE"] !== undefined) process.stdin.resume().once("end", () => process.exit());
