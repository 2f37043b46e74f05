import { app } from "./app.ts";

const port = Number(process.env["PORT"] ?? 3000);
const host = process.env["HOST"];

const { url } = await app.listen(host === undefined ? { port } : { port, host });
console.log(`Listening on ${url}`);
