import type { DashboardInfo, Feed, RequestSummary } from "../../../src/answers/shapes.ts";
import { ApiFailure, ask, debugKey, query } from "./api.ts";
import { createStore } from "./store.ts";

/** How the page stands with the sidecar. */
export type Session =
  | { readonly state: "starting" }
  /** Production asks for a key. `problem` says what was wrong with the one that was given. */
  | { readonly state: "locked"; readonly problem: string | null }
  | { readonly state: "ready"; readonly info: DashboardInfo };

/** A request in the list. */
export interface ListedRequest extends RequestSummary {
  /** Whether it is of a process that has ended. */
  readonly isPast: boolean;
}

/** The list of requests, as far as the page knows it. */
export interface Live {
  /** The newest first; those under way before the others. */
  readonly requests: readonly ListedRequest[];
  /** How many came too fast to be shown. */
  readonly skipped: number;
  /** Whether the first answer is there. */
  readonly isLoaded: boolean;
}

export const session = createStore<Session>({ state: "starting" });
export const live = createStore<Live>({ requests: [], skipped: 0, isLoaded: false });
/** Why questions go unanswered at present; nothing while all is well. */
export const trouble = createStore<string | null>(null);
/** While it is on, new requests are not shown. */
export const isPaused = createStore(false);

/** How many requests the page remembers. */
const mostRequests = 1_000;
/** How many it asks for at first, so that something is there at once; it asks for the rest when these are shown. */
const firstRequests = 60;
const longestPauseMs = 5_000;

let cursor = "";
/** Whether all that the sidecar remembers has been asked for. */
let isWhole = false;
let instance = "";
let failures = 0;
let timer: number | undefined;
let isAsking = false;
/** Those that ended, by id, the oldest first. */
let ended = new Map<string, ListedRequest>();

/** Starts to ask, and does not end. */
export function start(): void {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") soon(0);
  });
  isPaused.subscribe(() => {
    if (!isPaused.get()) soon(0);
  });
  soon(0);
}

/** Tries a key. */
export function unlock(key: string): void {
  debugKey.set(key);
  session.set({ state: "starting" });
  soon(0);
}

/** Forgets the key, and everything that it opened. */
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
  // Nobody looks: the application is left alone.
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

/** One question, and how long to wait until the next one; nothing where somebody has to act first. */
async function next(): Promise<number | undefined> {
  const current = session.get();
  if (current.state === "locked") return undefined;
  if (current.state === "starting") {
    // Both at once: what is shown first needs both.
    const [info, feed] = await Promise.all([ask<DashboardInfo>("dashboard"), askForFeed()]);
    take(feed);
    session.set({ state: "ready", info });
    // The browser draws first.
    return 400;
  }
  // Who pauses still wants to know whether the application is there; its cursor stays where it is.
  if (isPaused.get()) {
    await ask("server");
    return current.info.pollMs * 3;
  }
  const feed = await askForFeed();
  if (feed.instance !== current.info.instance) {
    session.set({ state: "ready", info: await ask<DashboardInfo>("dashboard") });
  }
  if (!isWhole) {
    // The first ones are among these.
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
  // Where nothing happened nothing is drawn.
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

/** How long to wait until the next try. */
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
    trouble.set(`Too many requests: the sidecar is asked again in ${Math.ceil(waitMs / 1_000)} s.`);
    return waitMs;
  }
  trouble.set(
    failure.status === 0
      ? "Connection lost: the application does not answer. What is shown is from before; this goes on as soon as it is back."
      : `${failure.message}.`,
  );
  return Math.min(longestPauseMs, 500 * 2 ** Math.min(failures, 4));
}
