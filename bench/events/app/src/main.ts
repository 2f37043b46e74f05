import application from "./app.ts";

await application().listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" });
process.stdin.resume().on("end", () => process.exit());
