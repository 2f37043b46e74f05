import type { NodeRedisClient, ValkeyClient } from "@kit/types";

import { AuthServiceError } from "../refusals.ts";
import type { SessionStore, StoredSession } from "./session-store.ts";

/** Options of {@link valkeySessions}. */
export interface ValkeySessionOptions {
  /**
   * Beginning of all names in Valkey. Default `{kit:sessions}:`. The part in braces puts all sessions on one node of a
   * cluster, because a script changes several of them at once.
   */
  readonly prefix?: string;
}

/**
 * Adds a session and its id to the ids of the user. The ids live as long as the session that ends last, and ids of
 * sessions that have ended are removed, so that the list cannot grow without end.
 */
const create = `
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", ARGV[3])
redis.call("ZADD", KEYS[2], ARGV[4], ARGV[5])
if redis.call("PTTL", KEYS[2]) < tonumber(ARGV[6]) then redis.call("PEXPIRE", KEYS[2], ARGV[6]) end
return 1`;

/** Replaces a session only if it exists, so that a request that ends after the logout does not bring the session back. */
const change = `
local text = redis.call("GET", KEYS[1])
if not text then return 0 end
local session = cjson.decode(text)
session[ARGV[1]] = ARGV[2]
if ARGV[3] == "" then redis.call("SET", KEYS[1], cjson.encode(session), "KEEPTTL")
else redis.call("SET", KEYS[1], cjson.encode(session), "PX", ARGV[3]) end
return 1`;

/** Adds the new id before the old one is removed, because an empty list would lose its end. */
const rename = `
local text = redis.call("GET", KEYS[1])
if not text then return 0 end
local session = cjson.decode(text)
session.id = ARGV[3]
session.seenAt = ARGV[4]
local lifetime = math.min(tonumber(ARGV[5]), tonumber(session.expiresAt) - tonumber(ARGV[4]))
if lifetime <= 0 then return 0 end
redis.call("DEL", KEYS[1])
redis.call("SET", KEYS[2], cjson.encode(session), "PX", string.format("%d", lifetime))
local ids = ARGV[1] .. "of:" .. session.subject
redis.call("ZADD", ids, session.expiresAt, ARGV[3])
redis.call("ZREM", ids, ARGV[2])
return 1`;

const remove = `
local text = redis.call("GET", KEYS[1])
if not text then return 0 end
redis.call("DEL", KEYS[1])
redis.call("ZREM", ARGV[1] .. "of:" .. cjson.decode(text).subject, ARGV[2])
return 1`;

const removeAll = `
for _, id in ipairs(redis.call("ZRANGE", KEYS[1], 0, -1)) do
  if id ~= ARGV[2] then
    redis.call("DEL", ARGV[1] .. id)
    redis.call("ZREM", KEYS[1], id)
  end
end
return 1`;

function date(milliseconds: string): Date {
  return new Date(Number(milliseconds));
}

/** Session in Valkey. All values are texts, because the scripts of Valkey write numbers with 14 digits. */
type Written = Record<keyof StoredSession, string>;

/**
 * Creates a store of sessions in Valkey or Redis (6 or newer). Sessions that have ended are removed by Valkey. While
 * Valkey cannot be reached, requests with a session get 503.
 *
 * @param client - Client of `iovalkey`, `ioredis` or `redis`. Set its timeouts, so that commands do not wait for ever.
 * @example
 * ```ts
 * const client = new Valkey({ maxRetriesPerRequest: 1, commandTimeout: 2000 });
 * const sessions = createSessions({ store: valkeySessions(client) });
 * ```
 */
export function valkeySessions(
  client: ValkeyClient | NodeRedisClient,
  { prefix = "{kit:sessions}:" }: ValkeySessionOptions = {},
): SessionStore {
  const send = async (...command: [string, ...string[]]): Promise<unknown> => {
    try {
      // A client of ioredis has a function `sendCommand` too, with another argument.
      return "call" in client ? await client.call(...command) : await client.sendCommand(command);
    } catch (error) {
      throw new AuthServiceError("The store of sessions does not answer", 1, { cause: error });
    }
  };
  const run = (script: string, keys: readonly string[], ...values: string[]): Promise<unknown> =>
    send("EVAL", script, String(keys.length), ...keys, ...values);
  return {
    async create({ id, subject, data, createdAt, seenAt, expiresAt }, idleMs) {
      const written: Written = {
        id,
        subject,
        data,
        createdAt: String(createdAt.getTime()),
        seenAt: String(seenAt.getTime()),
        expiresAt: String(expiresAt.getTime()),
      };
      const lifetime = expiresAt.getTime() - seenAt.getTime();
      await run(
        create,
        [prefix + id, `${prefix}of:${subject}`],
        JSON.stringify(written),
        String(Math.min(idleMs, lifetime)),
        String(seenAt.getTime()),
        written.expiresAt,
        id,
        String(lifetime),
      );
    },
    async read(id) {
      const text = await send("GET", prefix + id);
      if (typeof text !== "string") return null;
      const { subject, data, createdAt, seenAt, expiresAt } = JSON.parse(text) as Written;
      return {
        id,
        subject,
        data,
        createdAt: date(createdAt),
        seenAt: date(seenAt),
        expiresAt: date(expiresAt),
      };
    },
    async touch(id, seenAt, idleMs) {
      await run(change, [prefix + id], "seenAt", String(seenAt.getTime()), String(idleMs));
    },
    async update(id, data) {
      await run(change, [prefix + id], "data", data, "");
    },
    async rename(id, next, seenAt, idleMs) {
      const keys = [prefix + id, prefix + next];
      const values = [prefix, id, next, String(seenAt.getTime()), String(idleMs)];
      return (await run(rename, keys, ...values)) === 1;
    },
    async delete(id) {
      await run(remove, [prefix + id], prefix, id);
    },
    async deleteAll(subject, except = "") {
      await run(removeAll, [`${prefix}of:${subject}`], prefix, except);
    },
  };
}
