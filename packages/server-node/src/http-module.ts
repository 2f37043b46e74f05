import type * as Http from "node:http";

/**
 * Module `node:http`. An `import` would read all exports of the module. Some of these load undici and HTTP/2, which takes as long as the
 * start of Node itself (`bench/start`). `process.getBuiltinModule` reads no exports.
 */
export const http: typeof Http = process.getBuiltinModule("node:http");
