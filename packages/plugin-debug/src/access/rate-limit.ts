import { isIP } from "node:net";

/** Maximum number of requests that one client may send in a window of time. */
export interface RateLimit {
  readonly windowMs: number;
  readonly max: number;
}

/**
 * Maximum number of clients in one generation. A greater number would not help: a client with thousands of
 * addresses cannot be limited by address.
 */
const generationSize = 5_000;

interface Client {
  count: number;
  readonly endsAt: number;
}

/**
 * Counts the requests of each client in windows of time. Uses limited memory: the clients are in two generations, and the older generation
 * is dropped if the younger generation is full or older than one window.
 */
export class RateLimiter {
  readonly #limit: RateLimit;
  #older = new Map<string, Client>();
  #younger = new Map<string, Client>();
  #youngerEndsAt = -Infinity;

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Number of clients that the limiter stores. */
  get size(): number {
    return this.#older.size + this.#younger.size;
  }

  /** Counts a request. Returns 0 if it is allowed, otherwise the milliseconds until the client may send a request again. */
  count(address: string, now: number): number {
    this.#grow(now);
    const key = clientOf(address);
    const client = this.#younger.get(key) ?? this.#older.get(key);
    if (client !== undefined && client.endsAt > now) {
      client.count += 1;
      return client.count > this.#limit.max ? client.endsAt - now : 0;
    }
    this.#younger.set(key, { count: 1, endsAt: now + this.#limit.windowMs });
    return 0;
  }

  #grow(now: number): void {
    if (now < this.#youngerEndsAt && this.#younger.size < generationSize) return;
    this.#older = this.#younger;
    this.#younger = new Map();
    this.#youngerEndsAt = now + this.#limit.windowMs;
  }
}

/**
 * Returns the key that identifies a client: an IPv4 address, or the first 64 bits of an IPv6 address, because a client usually has all
 * addresses of such a network.
 */
function clientOf(address: string): string {
  return isIP(address) === 6 ? networkOf(address) : address;
}

function networkOf(address: string): string {
  const [head = "", tail] = address.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const after = tail === "" ? [] : tail.split(":");
    // An IPv4 address at the end of an IPv6 address has the length of two groups.
    const length = after.length + (tail.includes(".") ? 1 : 0);
    while (groups.length + length < 8) groups.push("0");
    groups.push(...after);
  }
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
