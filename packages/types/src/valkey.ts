/** Clients of Valkey and Redis that packages of kit take, so that applications can choose one. */

/** Client of `iovalkey` or `ioredis`. */
export interface ValkeyClient {
  call(command: string, ...parameters: string[]): Promise<unknown>;
}

/** Client of `redis` (node-redis). */
export interface NodeRedisClient {
  sendCommand(parameters: string[]): Promise<unknown>;
}
