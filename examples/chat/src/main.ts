import { app } from "./app.ts";

const port = Number(process.env["PORT"] || 3000);
const host = process.env["HOST"];

const { url } = await app.listen(host ? { port, host } : { port });
console.log(`Listening on ${url}`);
