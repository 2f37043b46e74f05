import type { RetryOptions } from "./options.ts";

/** Idempotent methods (RFC 9110, section 9.2.2). */
const IDEMPOTENT = /^(GET|HEAD|OPTIONS|PUT|DELETE)$/;
const RETRYABLE = new Set([429, 502, 503, 504]);

/** Header with which a server executes repeated requests once (draft-ietf-httpapi-idempotency-key-header). */
export const KEY_HEADER = "idempotency-key";

/** Returns true if a call may be retried after a response with the status `status`. */
export function isRetryable(status: number): boolean {
  return RETRYABLE.has(status);
}

/** Returns true if the server is still executing an earlier attempt with the same key. */
export function isStillRunning({ status, headers }: Response): boolean {
  return status === 409 && headers.has("retry-after");
}

/** Returns the maximum number of retries of a call. */
export function limitOf(method: string, isKeyed: boolean, retry: RetryOptions | false | undefined): number {
  return retry === false || !(isKeyed || IDEMPOTENT.test(method)) ? 0 : (retry?.limit ?? 2);
}

/** Returns a random UUID. `crypto.randomUUID` does not exist in pages without HTTPS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * Returns the milliseconds to wait before a retry. `attempt` is the number of the retry, from 0. Returns `undefined` if
 * the server requests a longer delay than allowed.
 */
export function delayOf(
  attempt: number,
  retry: RetryOptions | false | undefined,
  retryAfter: string | null,
): number | undefined {
  const { delayMs = 100, maxDelayMs = 10_000 } = retry || {};
  const own = Math.min(delayMs * 2 ** attempt * (1 + Math.random() / 2), maxDelayMs);
  if (retryAfter === null) return own;
  const seconds = Number(retryAfter);
  const asked = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - Date.now();
  if (!(asked > own)) return own;
  return asked > maxDelayMs ? undefined : asked;
}

/** Maximum time of a timer in milliseconds, 24 days. A timer with a longer time ends at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** Waits for a number of milliseconds. Rejects with the signal's reason if the signal aborts first. */
export function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", end);
        resolve();
      },
      Math.min(milliseconds, LONGEST_TIMER_MS),
    );
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}
