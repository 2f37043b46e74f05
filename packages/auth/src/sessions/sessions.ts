import { randomBytes } from "node:crypto";

import type { BaseContext } from "@kit/core";

import { integerOption, refuseUnknown } from "../check-options.ts";
import { reached } from "../refusals.ts";
import { convertResult } from "../value-or-promise.ts";
import type { SessionStore, StoredSession } from "./session-store.ts";
import { idOfToken, TokenIds } from "./token-ids.ts";

/** Options of {@link createSessions}. */
export interface SessionOptions<TScope extends string = never, TData = unknown> {
  /** Store of the sessions: `postgresSessions`, `valkeySessions` or `memorySessions`. */
  readonly store: SessionStore;
  /** Name of the cookie. Default `__Host-session`. */
  readonly cookie?: string;
  /** Time in milliseconds without a request after which a session ends. Default 1,800,000 (30 minutes). */
  readonly idleMs?: number;
  /** Time in milliseconds after the login after which a session ends. Default 43,200,000 (12 hours). */
  readonly absoluteMs?: number;
  /** Scopes that contracts of this application may require. Default: none. */
  readonly scopes?: readonly TScope[];
  /**
   * Returns the scopes of a session, or a promise of them. If the function reads the role of the user from the
   * database, a change of the role applies to the next request. Default: none.
   */
  readonly scopesOf?: (session: {
    readonly subject: string;
    readonly data: TData;
  }) => readonly string[] | PromiseLike<readonly string[]>;
}

const knownOptions: Readonly<Record<keyof SessionOptions, true>> = {
  store: true,
  cookie: true,
  idleMs: true,
  absoluteMs: true,
  scopes: true,
  scopesOf: true,
};

/** Session of a request. */
export interface Session<TData = unknown> {
  /** Id of the user. */
  readonly subject: string;
  /** Data that `start` or `update` has stored. */
  readonly data: TData;
  /** Time of the login. */
  readonly createdAt: Date;
  /** Time after which the session ends, even if it is in use. */
  readonly expiresAt: Date;
}

/** Sessions of an application, from {@link createSessions}. The functions are called in handlers and middleware. */
export interface Sessions<TScope extends string = never, TData = unknown> {
  /**
   * Logs a user in: stores a session with a new token and sets the cookie. If the request already has a session, the
   * old session ends, so that an attacker cannot give a user a prepared session (session fixation).
   */
  start(ctx: BaseContext, subject: string, data: TData): Promise<void>;
  /** Replaces the data of the request's session. Resolves to false if the request has no session. */
  update(ctx: BaseContext, data: TData): Promise<boolean>;
  /**
   * Gives the session of the request a new token. Call it when the user gets more rights. Resolves to false if the request
   * has no session.
   */
  rotate(ctx: BaseContext): Promise<boolean>;
  /** Logs the user of the request out: removes the session and the cookie. */
  end(ctx: BaseContext): Promise<void>;
  /**
   * Ends all sessions of a user. With a `ctx`, the session of this request does not end, for example after a change
   * of the password.
   */
  endAll(subject: string, except?: BaseContext): Promise<void>;
  /** Resolves to the session of a request, or to `null`. */
  read(ctx: BaseContext): Promise<Session<TData> | null>;
  /** Options, which the middleware reads. */
  readonly options: SessionOptions<TScope, TData>;
}

/** Bytes of a token. Nobody can guess 256 bits. */
const tokenBytes = 32;

/** Form of a token in base64url. */
const tokenForm = /^[A-Za-z0-9_-]{43}$/;

/** Maximum length of the data of a session, as JSON. */
const mostData = 64 * 1024;

/** Maximum length of a user's id. */
const longestSubject = 255;

const day = 86_400_000;

/** Session of a request or `null`, or a promise for it if the store needs one. */
export type Found<T> = T | null | Promise<T | null>;

/** Functions that read sessions without a promise if the store needs none, by the `read` of `createSessions`. */
const readers = new WeakMap<object, (ctx: BaseContext) => Found<Session>>();

/** Returns a function that reads the sessions of requests, without a promise if the store needs none. */
export function readerOf<TScope extends string, TData>(
  sessions: Sessions<TScope, TData>,
): (ctx: BaseContext) => Found<Session<TData>> {
  // Tests replace `read` at any time, and objects that wrap the one of `createSessions` have their own.
  return (ctx) => {
    const read = readers.get(sessions.read) as ((ctx: BaseContext) => Found<Session<TData>>) | undefined;
    return read === undefined ? sessions.read(ctx) : read(ctx);
  };
}

/**
 * Creates sessions in a signed cookie. The cookie has a random token, and the store has only the hash of the token, so
 * an attacker with a copy of the store cannot log in. The application needs the option `cookies.keys` of `createApp`.
 *
 * @param options - Store of the sessions, and options with defaults.
 * @example
 * ```ts
 * export const sessions = createSessions({ store: postgresSessions(pool) });
 * export const requireSession = sessionAuth(sessions);
 *
 * "POST /login": async ({ body, ctx }) => {
 *   const user = await userWithPassword(body);
 *   await sessions.start(ctx, user.id, { name: user.name });
 * },
 * ```
 * @throws {TypeError} If an option is unknown or invalid.
 * @throws {RangeError} If a time is not in its range.
 */
export function createSessions<TData = unknown, const TScope extends string = never>(
  options: SessionOptions<TScope, TData>,
): Sessions<TScope, TData> {
  refuseUnknown("createSessions", options, knownOptions);
  const { store, cookie = "__Host-session" } = options;
  if (typeof store !== "object" || store === null) {
    throw new TypeError("createSessions: `store` must be a store such as postgresSessions(pool)");
  }
  if (!/^__(?:Host|Secure)-[A-Za-z0-9._-]{1,60}$/.test(cookie)) {
    throw new TypeError(
      `createSessions: \`cookie\` must begin with __Host- or __Secure-, so that pages over HTTP cannot set it, not ${JSON.stringify(cookie)}`,
    );
  }
  const idleMs = integerOption("createSessions: idleMs", options.idleMs, 1_800_000, [1000, 400 * day]);
  const absoluteMs = integerOption("createSessions: absoluteMs", options.absoluteMs, 43_200_000, [
    1000,
    400 * day,
  ]);

  /**
   * Property of contexts with the id of the session that the request has received since it began, which its cookie does not
   * name. `null` after a logout. A property is shared with the views of a context that transactions pass on.
   */
  const received: unique symbol = Symbol("kit.session");
  const ids = new TokenIds();
  const keep = (ctx: BaseContext & { [received]?: string | null }, id: string | null): void => {
    ctx[received] = id;
  };
  const idOf = (ctx: BaseContext & { readonly [received]?: string | null }): string | undefined => {
    const id = ctx[received];
    if (id !== undefined) return id ?? undefined;
    const token = ctx.signedCookie(cookie);
    return token !== undefined && tokenForm.test(token) ? ids.of(token) : undefined;
  };
  const find = (ctx: BaseContext): Found<StoredSession> => {
    const id = idOf(ctx);
    return id === undefined ? null : convertResult(store.read(id), continued);
  };
  /** Returns a stored session if it has not ended, and stores the time of the request. */
  const continued = (session: StoredSession | null): Found<StoredSession> => {
    if (session === null) return null;
    const now = Date.now();
    const { id, seenAt, expiresAt } = session;
    // Written as "not before", so that an invalid date ends the session.
    if (!(now < expiresAt.getTime()) || !(now < seenAt.getTime() + idleMs)) return null;
    // A write for each request would cost more than the exact time is worth.
    if (now - seenAt.getTime() <= idleMs / 10) return session;
    return store.touch(id, new Date(now), Math.min(idleMs, expiresAt.getTime() - now)).then(() => session);
  };
  const setCookie = (ctx: BaseContext, token: string, expiresAt: Date): void => {
    keep(ctx, idOfToken(token));
    const maxAge = Math.max(1, Math.ceil((expiresAt.getTime() - Date.now()) / 1000));
    ctx.cookie(cookie, token, { signed: true, maxAge });
  };
  const start = async (ctx: BaseContext, subject: string, data: TData): Promise<void> => {
    if (typeof subject !== "string" || subject === "" || subject.length > longestSubject) {
      throw new TypeError(`The id of a user must have 1 to ${longestSubject} characters`);
    }
    const text = textOf(data);
    const old = idOf(ctx);
    if (old !== undefined) await store.delete(old);
    const now = new Date();
    const expiresAt = new Date(now.getTime() + absoluteMs);
    const token = newToken();
    const session = { id: idOfToken(token), subject, data: text, createdAt: now, seenAt: now, expiresAt };
    await store.create(session, idleMs);
    setCookie(ctx, token, expiresAt);
  };
  const update = async (ctx: BaseContext, data: TData): Promise<boolean> => {
    const session = await find(ctx);
    if (session !== null) await store.update(session.id, textOf(data));
    return session !== null;
  };
  const rotate = async (ctx: BaseContext): Promise<boolean> => {
    const session = await find(ctx);
    if (session === null) return false;
    const token = newToken();
    if (!(await store.rename(session.id, idOfToken(token), new Date(), idleMs))) return false;
    setCookie(ctx, token, session.expiresAt);
    return true;
  };
  const end = async (ctx: BaseContext): Promise<void> => {
    const id = idOf(ctx);
    ctx.cookie(cookie, null);
    keep(ctx, null);
    if (id !== undefined) await store.delete(id);
  };
  const publicPart = (session: StoredSession | null): Session<TData> | null => {
    if (session === null) return null;
    const { subject, data, createdAt, expiresAt } = session;
    return { subject, data: JSON.parse(data) as TData, createdAt, expiresAt };
  };
  const read = (ctx: BaseContext): Found<Session<TData>> => {
    const found = convertResult(find(ctx), publicPart);
    return found instanceof Promise ? reached(ctx, found) : found;
  };
  const sessions: Sessions<TScope, TData> = {
    options,
    start: (ctx, subject, data) => reached(ctx, start(ctx, subject, data)),
    update: (ctx, data) => reached(ctx, update(ctx, data)),
    rotate: (ctx) => reached(ctx, rotate(ctx)),
    end: (ctx) => reached(ctx, end(ctx)),
    endAll: (subject, except) => store.deleteAll(subject, except && idOf(except)),
    read: async (ctx) => read(ctx),
  };
  readers.set(sessions.read, read);
  return sessions;
}

function newToken(): string {
  return randomBytes(tokenBytes).toString("base64url");
}

function textOf(data: unknown): string {
  const text = JSON.stringify(data ?? null) as string | undefined;
  if (text !== undefined && text.length <= mostData) return text;
  throw new TypeError(
    `The data of a session must be JSON of at most ${mostData} characters; store larger data in a table of the application`,
  );
}
