import type { ReplayAnswer, ReplayRequest } from "../../../src/responses/shapes.ts";

/** Failure of a request to the sidecar. */
export class ApiFailure extends Error {
  /** HTTP status of the response, or 0 if no response arrived. */
  readonly status: number;
  readonly code: string;
  /** Milliseconds until the next request is allowed, if the sidecar specifies them. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterMs?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

const storedAt = "kit-debug-key";
/** Debug key for browsers without session storage. It is lost when the page is closed. */
let ownKey: string | null = null;

/** Key of the sidecar in production. It is stored for this tab only, sent in a header, and never part of an address. */
export const debugKey = {
  get(): string | null {
    try {
      return ownKey ?? sessionStorage.getItem(storedAt);
    } catch {
      return ownKey;
    }
  },
  set(key: string): void {
    ownKey = key;
    try {
      sessionStorage.setItem(storedAt, key);
    } catch {
      // Session storage is not available, so the key is stored in memory only.
    }
  },
  forget(): void {
    ownKey = null;
    try {
      sessionStorage.removeItem(storedAt);
    } catch {
      // Session storage is not available.
    }
  },
};

/** Request timeout in milliseconds. No response of the sidecar takes that long, so the connection is lost. */
const patienceMs = 8_000;

/** Sends a request to the sidecar. `path` is the part after `/_debug/`. */
export async function ask<T>(path: string, signal?: AbortSignal): Promise<T> {
  const patience = AbortSignal.timeout(patienceMs);
  return (await exchange(path, {
    signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
  })) as T;
}

/** Requests the sidecar to send a recorded request to the application again. */
export async function askForReplay(question: ReplayRequest, token: string): Promise<ReplayAnswer> {
  const headers = { "content-type": "application/json", "x-debug-token": token };
  return (await exchange("replay", {
    method: "POST",
    headers,
    body: JSON.stringify(question),
  })) as ReplayAnswer;
}

async function exchange(path: string, init: RequestInit): Promise<unknown> {
  const key = debugKey.get();
  const headers = {
    accept: "application/json",
    ...(init.headers as Record<string, string> | undefined),
    ...(key !== null && { "x-debug-key": key }),
  };
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(`/_debug/${path}`, { ...init, headers, credentials: "omit", cache: "no-store" });
    body = await response.json();
  } catch (cause) {
    if (init.signal?.aborted === true && (init.signal.reason as Error).name === "AbortError") throw cause;
    throw new ApiFailure(0, "NO_CONNECTION", "The debug sidecar does not answer");
  }
  if (response.ok) return body;
  const { error } = body as { error?: { code?: string; message?: string } };
  const seconds = Number(response.headers.get("retry-after"));
  throw new ApiFailure(
    response.status,
    error?.code ?? String(response.status),
    error?.message ?? `The debug sidecar answered ${response.status}`,
    seconds > 0 ? seconds * 1_000 : undefined,
  );
}

/** Returns the query string of a URL. Leaves out values that are undefined or empty. */
export function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  if (given.length === 0) return "";
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
