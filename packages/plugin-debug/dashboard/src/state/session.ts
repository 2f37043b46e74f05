import type { DashboardInfo, Feed, RequestSummary } from "../../../src/responses/shapes.ts";
import { ApiFailure, ask, debugKey, query } from "./api.ts";
import { createStore } from "./store.ts";

/** State of the connection to the sidecar. */
export type Session =
  | { readonly state: "starting" }
  /** The sidecar requires a key. `problem` describes why the entered key was refused. */
  | { readonly state: "locked"; readonly problem: string | null }
  | { readonly state: "ready"; readonly info: DashboardInfo };

/** Request in the list. */
export interface ListedRequest extends RequestSummary {
  /** True if the request was handled by an earlier process of the application. */
  readonly isPast: boolean;
}

/** Requests that the page has loaded. */
export interface Live {
  /** Requests in progress, then finished ones, each with the newest first. */
  readonly requests: readonly ListedRequest[];
  /** Number of requests that the page does not have, because too many finished between two polls. */
  readonly skipped: number;
  /** True after the first response of the sidecar. */
  readonly isLoaded: boolean;
}

export const session = createStore<Session>({ state: "starting" });
export const live = createStore<Live>({ requests: [], skipped: 0, isLoaded: false });
/** Description of the current connection problem, or null if the sidecar responds. */
export const trouble = createStore<string | null>(null);
/** While true, new requests are not shown. */
export const isPaused = createStore(false);

/** Maximum number of requests that the page stores. */
const mostRequests = 1_000;
/** Number of requests in the first poll, which is small so that the page shows them quickly. The next poll requests all others. */
const firstRequests = 60;
const longestPauseMs = 5_000;

let cursor = "";
/** True when all requests in the sidecar's history have been loaded. */
let isWhole = false;
let instance = "";
let failures = 0;
let timer: number | undefined;
let isAsking = false;
/** Finished requests by id, the oldest first. */
let ended = new Map<string, ListedRequest>();

/** Starts to poll the sidecar. Polling never stops. */
export function start(): void {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") soon(0);
  });
  isPaused.subscribe(() => {
    if (!isPaused.get()) soon(0);
  });
  soon(0);
}

/** Connects to the sidecar with a key. */
export function unlock(key: string): void {
  debugKey.set(key);
  session.set({ state: "starting" });
  soon(0);
}

/** Removes the key and the data that it gave access to. */
export function lock(): void {
  debugKey.forget();
  forget();
  session.set({ state: "locked", problem: null });
}

function forget(): void {
  cursor = "";
  isWhole = false;
  ended = new Map();
  live.set({ requests: [], skipped: 0, isLoaded: false });
}

function soon(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => void step(), ms);
}

async function step(): Promise<void> {
  // Does not poll the application while the page is hidden.
  if (isAsking || document.visibilityState === "hidden") return;
  isAsking = true;
  try {
    const wait = await next();
    failures = 0;
    trouble.set(null);
    if (wait !== undefined) soon(wait);
  } catch (error) {
    soon(noteFailure(error));
  } finally {
    isAsking = false;
  }
}

/** Sends one poll. Returns the milliseconds until the next one, or `undefined` if the user must act first. */
async function next(): Promise<number | undefined> {
  const current = session.get();
  if (current.state === "locked") return undefined;
  if (current.state === "starting") {
    // Requests both at once, because the first view needs both.
    const [info, feed] = await Promise.all([ask<DashboardInfo>("dashboard"), askForFeed()]);
    take(feed);
    session.set({ state: "ready", info });
    // Waits, so that the browser can draw the first requests.
    return 400;
  }
  // A paused page still checks if the application responds. Its cursor does not move.
  if (isPaused.get()) {
    await ask("server");
    return current.info.pollMs * 3;
  }
  const feed = await askForFeed();
  if (feed.instance !== current.info.instance) {
    session.set({ state: "ready", info: await ask<DashboardInfo>("dashboard") });
  }
  if (!isWhole) {
    // The sidecar lists these requests again, so the older copies are removed.
    for (const { requestId } of feed.requests) ended.delete(requestId);
    isWhole = true;
  }
  take(feed);
  return current.info.pollMs;
}

function askForFeed(): Promise<Feed> {
  if (isWhole) return ask<Feed>(`feed${query({ after: cursor })}`);
  return ask<Feed>(`feed${query({ limit: cursor === "" ? firstRequests : mostRequests })}`);
}

function take(feed: Feed): void {
  const isAnother = instance !== "" && feed.instance !== instance;
  instance = feed.instance;
  cursor = feed.next;
  const { requests, skipped, isLoaded } = live.get();
  if (isAnother) {
    for (const [id, request] of ended) ended.set(id, { ...request, isPast: true });
  }
  for (const request of feed.requests.toReversed())
    ended.set(request.requestId, { ...request, isPast: false });
  const tooMany = ended.size - mostRequests;
  for (const id of [...ended.keys()].slice(0, Math.max(0, tooMany))) ended.delete(id);
  const isSame =
    isLoaded &&
    !isAnother &&
    feed.requests.every(({ requestId }) =>
      requests.some((known) => known.requestId === requestId && !known.isActive),
    ) &&
    feed.active.length === 0 &&
    !requests.some(({ isActive }) => isActive);
  // If nothing has changed, the page is not drawn again.
  if (isSame && feed.skipped === 0) return;
  const active = feed.active
    .filter(({ requestId }) => !ended.has(requestId))
    .map((request): ListedRequest => Object.assign({ isPast: false }, request));
  live.set({
    requests: [...active.toReversed(), ...[...ended.values()].toReversed()],
    skipped: skipped + feed.skipped,
    isLoaded: true,
  });
}

/** Handles a failed poll. Returns the milliseconds until the next attempt. */
function noteFailure(error: unknown): number {
  const failure = error instanceof ApiFailure ? error : new ApiFailure(0, "FAILED", String(error));
  if (failure.status === 401) {
    const isGiven = debugKey.get() !== null;
    debugKey.forget();
    forget();
    session.set({ state: "locked", problem: isGiven ? "That is not the key." : null });
    trouble.set(null);
    return longestPauseMs;
  }
  failures += 1;
  if (failure.status === 429) {
    const waitMs = failure.retryAfterMs ?? longestPauseMs;
    trouble.set(`Too many requests: the page asks the sidecar again in ${Math.ceil(waitMs / 1_000)} s.`);
    return waitMs;
  }
  trouble.set(
    failure.status === 0
      ? "Connection lost: the application does not answer. The page shows the last known data, and connects again when the application answers."
      : `${failure.message}.`,
  );
  return Math.min(longestPauseMs, 500 * 2 ** Math.min(failures, 4));
}
