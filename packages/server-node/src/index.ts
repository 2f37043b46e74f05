/**
 * Shared code of kit's adapters on node:http: reads requests, writes responses, starts and stops servers. For authors of adapters;
 * applications use `@kit/server-express` and the other adapters.
 *
 * @module
 */
export { checkResponse } from "./response-check.ts";
export { type HostLimits, serverOptions } from "./limits.ts";
export { bodyLimitOf, isStreamed } from "./body-limit.ts";
export { openRequestBody, readRequestBody, receiveBody, type ParsedRequest } from "./read-request-body.ts";
export { exchangeOf } from "./exchange-of.ts";
export { NodeExchange } from "./exchange.ts";
export { errorOfFramework } from "./framework-error.ts";
export { headerRecord } from "./header-record.ts";
export { type BindAddress, NodeHost, type NodeListenOptions, type RequestListener } from "./host.ts";
export { listenPlain } from "./plain-server.ts";
export type { DiscardLimits } from "./discard.ts";
export { noSniff, noSniffName } from "./no-sniff.ts";
export { normalPath } from "./normal-path.ts";
export { type Framework, refuseRequest, withoutFinalSlash } from "./destination.ts";
export { notePassed, noteReturned } from "./passed-request.ts";
export { nodeBody, type PipedBody, webBody } from "./piped-body.ts";
export {
  type AttachableOptions,
  type CheckedOptions,
  checkOptions,
  type HttpServerOptions,
} from "./options.ts";
export { type Refusal, targetTooLong } from "./refusal.ts";
export { readBody, RequestBody } from "./request-body.ts";
export { ResponseExchange } from "./response-exchange.ts";
export { abortedWriter } from "./response-writer.ts";
export type { CheckedTimeouts, HttpTimeouts } from "./timeouts.ts";
