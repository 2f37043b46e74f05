// Runs the application of `bodies-application.ts` on a server in its own process, so that a test can kill the process.
//
//     node bodies-server.ts SERVER

import { serveBodies } from "./bodies-application.ts";
import { servers } from "./servers.ts";

const make = servers.find(([name]) => name === process.argv[2])?.[1];
if (make === undefined) throw new Error(`no server has the name ${process.argv[2]}`);
const { port } = await serveBodies(make());
console.log(`Listening on http://127.0.0.1:${port}`);
