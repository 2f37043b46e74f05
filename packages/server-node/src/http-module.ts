import type * as Http from "node:http";
import type * as Https from "node:https";

/**
 * Module `node:http`. An `import` would read all exports of the module. Some of these load undici and HTTP/2, which takes as long as the
 * start of Node itself (`bench/start`). `process.getBuiltinModule` reads no exports.
 */
export const http: typeof Http = process.getBuiltinModule("node:http");

/** Returns the module `node:https`, which only servers with TLS load. */
export const https = (): typeof Https => process.getBuiltinModule("node:https");
