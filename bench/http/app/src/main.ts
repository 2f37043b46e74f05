import { app } from "./app.ts";

const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
process.send?.({ port });
