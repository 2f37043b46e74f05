/**
 * Modules of Node that few applications use, or whose import costs more than the module.
 *
 * An `import` of a module of Node reads all exports of the module, also those that Node loads on first use. For example, `node:util` loads
 * a parser of arguments, and `node:http` loads undici and HTTP/2. `process.getBuiltinModule` reads no exports. `bench/start` has the costs.
 *
 * @module
 */
import type * as Net from "node:net";
import type * as Util from "node:util";

/** Module `node:util`, which Node has loaded before the program starts. */
export const util: typeof Util = process.getBuiltinModule("node:util");

let net: typeof Net | undefined;

/** Returns the module `node:net`. The first call loads the module, because only applications behind proxies need it. */
export function loadNet(): typeof Net {
  net ??= process.getBuiltinModule("node:net");
  return net;
}
