import { app } from "./app.ts";

// Ends with the benchmark, however that ends: its end of the pipe closes.
process.stdin.resume().once("end", () => process.exit());
await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" });
