import { app } from "./app.ts";

// Exits when the benchmark exits or is killed, because its end of the pipe closes then.
process.stdin.resume().once("end", () => process.exit());
await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" });
