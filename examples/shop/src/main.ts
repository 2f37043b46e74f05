import { app } from "./app.ts";
import { environment } from "./environment.ts";

const { PORT: port, HOST: host } = environment;

const { url } = await app.listen(host === undefined ? { port } : { port, host });
console.log(`Listening on ${url}`);
