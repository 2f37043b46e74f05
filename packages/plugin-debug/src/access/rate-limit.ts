import { isIP } from "node:net";

/** How many requests a client may send in how long. */
export interface RateLimit {
  readonly windowMs: number;
  readonly max: number;
}

/** Clients of one generation. Whoever has more addresses than that is not held back by a limit for each. */
const generationSize = 5_000;

interface Client {
  count: number;
  readonly endsAt: number;
}

/**
 * Counts the requests of each client in windows of time. Its memory is bounded: clients stand in two generations, and the older one is forgotten when
 * the younger is full, or a window old.
 */
export class RateLimiter {
  readonly #limit: RateLimit;
  #older = new Map<string, Client>();
  #younger = new Map<string, Client>();
  #youngerEndsAt = -Infinity;

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** How many clients are counted, at most. */
  get size(): number {
    return this.#older.size + this.#younger.size;
  }

  /** Counts a request. Milliseconds until the client may ask again, where it has asked too often; otherwise 0. */
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

/** Whoever has one address of IPv6 mostly has its whole network: the first 64 bits. */
function clientOf(address: string): string {
  return isIP(address) === 6 ? networkOf(address) : address;
}

function networkOf(address: string): string {
  const [head = "", tail] = address.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const after = tail === "" ? [] : tail.split(":");
    // An IPv4 address at the end stands for two groups.
    const length = after.length + (tail.includes(".") ? 1 : 0);
    while (groups.length + length < 8) groups.push("0");
    groups.push(...after);
  }
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
