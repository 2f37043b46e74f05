import { app } from "./app.ts";
import { password } from "./auth.ts";

const port = Number(process.env["PORT"] || 3000);
const host = process.env["HOST"];

const { url } = await app.listen(host ? { port, host } : { port });
console.log(`Listening on ${url}`);
if (!process.env["PHOTOS_PASSWORD"]) console.log(`Password of the owner: ${password}`);
