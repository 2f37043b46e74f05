// Middleware of each route, for kit's compiler. This file is never run, because the Rust code in `src/handlers` and
// `src/middleware` handles the requests.

import { createApp, defineHandlers, defineMiddleware, defineWrapper } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { Auth, Failure, Reply } from "@kit/types";

import type { AppRoutes, GuardedRoutes, OrderRoutes, WrongRoutes } from "./app.routes.ts";
import type { PhotoRoutes } from "./bodies.routes.ts";
import type { ChunkRoutes } from "./chunks.routes.ts";
import type { ContractRoutes } from "./contracts.routes.ts";
import type { DownloadRoutes } from "./downloads.routes.ts";
import type { DraftRoutes, DraftSocketRoutes, WrappedDraftRoutes } from "./drafts.routes.ts";
import type { FormatRoutes } from "./formats.routes.ts";
import type { KeyOwnerRoutes, KeyRoutes } from "./keys.routes.ts";
import type { LimitedRoutes, SharedLimitRoutes } from "./limited.routes.ts";
import type { LoginRoutes } from "./logins.routes.ts";
import type { MessageRoutes } from "./messages.routes.ts";
import type { MemberRoutes, VisitorRoutes } from "./sessions.routes.ts";
import type { TokenRoutes } from "./tokens.routes.ts";
import type { GuardedSocketRoutes, SocketRoutes, WrappedSocketRoutes } from "./sockets.routes.ts";
import type { Limit, Queued, ReportRoutes } from "./wrappers.routes.ts";

const pass = defineMiddleware(() => undefined);

/** @security bearer */
const readCaller = defineMiddleware<{
  auth: Auth<"drafts:list" | "drafts:read" | "drafts:write" | "admin">;
}>(() => ({ auth: { has: () => false } }));

/** @security bearer JWT */
const requireToken = defineMiddleware<{ auth: Auth<"orders:read" | "orders:write"> }>(() => ({
  auth: { has: () => false },
}));

/** @security header x-api-key */
const requireKey = defineMiddleware<{ auth: Auth<"orders:read" | "orders:write"> }>(() => ({
  auth: { has: () => false },
}));

/** @security cookie __Host-session */
const requireSession = defineMiddleware<{ auth: Auth<"read" | "write"> }>(() => ({
  auth: { has: () => false },
}));

const timed = defineWrapper<{ adds: { startedAt: number } }>((_input, next) => next({ startedAt: 1 }));
const cached = defineWrapper<{
  replies: Reply<304, void, { etag: string }> | Reply<202, Queued, { "retry-after": number }>;
}>((_input, next) => next());
const refused = defineWrapper<{ adds: object }>((_input, next) => next({}));
const limited = defineWrapper<{ errors: Failure<429, "LIMITED", Limit> }>((_input, next) => next());

function inRust(): never {
  throw new Error("the handlers of this application are in Rust");
}

const appHandlers = defineHandlers<AppRoutes>({
  "GET /files/upload": inRust,
  "GET /files/:name": inRust,
  "PUT /files/:name": inRust,
  "GET /assets/logo": inRust,
  "GET /assets/*path": inRust,
  "GET /raw/:top/*path": inRust,
  "GET /numbers/:id": inRust,
  "GET /search": inRust,
  "POST /notes": inRust,
  "DELETE /things/:id": inRust,
  "GET /headers": inRust,
  "GET /header": inRust,
  "GET /host": inRust,
  "GET /sniffed": inRust,
  "GET /split": inRust,
  "GET /fail": inRust,
  "GET /bug": inRust,
  "GET /reject": inRust,
  "GET /slow": inRust,
  "GET /endless": inRust,
  "GET /text": inRust,
  "GET /bytes": inRust,
  "GET /stream": inRust,
  "GET /stream/:kind": inRust,
});

const orderHandlers = defineHandlers<OrderRoutes>({
  "GET /order": inRust,
});

const guardedHandlers = defineHandlers<GuardedRoutes>({
  "GET /guarded/:id": inRust,
});

const wrongHandlers = defineHandlers<WrongRoutes>({
  "GET /wrong": inRust,
  "GET /infinite": inRust,
});

const contractHandlers = defineHandlers<ContractRoutes>({
  "POST /orders": inRust,
  "GET /orders/:id": inRust,
  "DELETE /orders/:id": inRust,
  "GET /session": inRust,
  "PUT /session": inRust,
  "GET /stock": inRust,
});

const photoHandlers = defineHandlers<PhotoRoutes>({
  "POST /sessions": inRust,
  "POST /photos": inRust,
  "POST /files": inRust,
  "POST /comments": inRust,
  "POST /videos": inRust,
  "POST /archives": inRust,
  "POST /avatars": inRust,
  "POST /hooks": inRust,
  "POST /blobs": inRust,
  "POST /tables": inRust,
  "POST /images": inRust,
  "POST /icons": inRust,
  "POST /imports": inRust,
  "GET /table": inRust,
  "GET /image": inRust,
  "GET /books": inRust,
  "GET /events": inRust,
  "GET /report": inRust,
});

const formatHandlers = defineHandlers<FormatRoutes>({
  "POST /formats/orders": inRust,
  "POST /formats/photos": inRust,
  "GET /formats/report": inRust,
  "GET /formats/export": inRust,
  "GET /formats/watch": inRust,
});

const reportHandlers = defineHandlers<ReportRoutes>({
  "GET /reports/:id": inRust,
  "POST /reports": inRust,
  "GET /plain": inRust,
});

const socketHandlers = defineHandlers<SocketRoutes>({
  "WS /echo": inRust,
  "WS /rooms/:id": inRust,
  "WS /long": inRust,
  "WS /failing": inRust,
  "WS /close": inRust,
  "WS /broken": inRust,
  "WS /watched": inRust,
  "WS /flood": inRust,
  "WS /reading": inRust,
  "WS /heartbeat": inRust,
  "WS /unwritten": inRust,
  "WS /versions": inRust,
  "WS /maybe": inRust,
  "WS /unnamed": inRust,
  "WS /tuned": inRust,
});

const chunkHandlers = defineHandlers<ChunkRoutes>({ "PUT /chunks": inRust, "PUT /chunks/first": inRust });
const messageHandlers = defineHandlers<MessageRoutes>({
  "WS /messages/text": inRust,
  "WS /messages/bytes": inRust,
  "WS /messages/both": inRust,
  "WS /messages/mixed": inRust,
});
const guardedSocketHandlers = defineHandlers<GuardedSocketRoutes>({ "WS /guarded": inRust });
const wrappedSocketHandlers = defineHandlers<WrappedSocketRoutes>({ "WS /wrapped": inRust });

const limitedHandlers = defineHandlers<LimitedRoutes>({ "GET /limited": inRust });
const sharedLimitHandlers = defineHandlers<SharedLimitRoutes>({ "GET /limited/shared": inRust });
const tokenHandlers = defineHandlers<TokenRoutes>({
  "GET /token/caller": inRust,
  "GET /token/orders": inRust,
});

const keyHandlers = defineHandlers<KeyRoutes>({ "POST /keys": inRust });
const keyOwnerHandlers = defineHandlers<KeyOwnerRoutes>({
  "GET /keys/caller": inRust,
  "GET /keys/orders": inRust,
});

const visitorHandlers = defineHandlers<VisitorRoutes>({
  "GET /sessions/me": inRust,
  "POST /sessions/login/:user": inRust,
  "POST /sessions/rename": inRust,
  "POST /sessions/rotate": inRust,
  "POST /sessions/logout": inRust,
  "POST /sessions/everywhere/:user": inRust,
  "POST /sessions/renewed-and-others/:user": inRust,
  "POST /sessions/others/:user": inRust,
});
const memberHandlers = defineHandlers<MemberRoutes>({
  "GET /sessions/private": inRust,
  "GET /sessions/unread": inRust,
});

const loginHandlers = defineHandlers<LoginRoutes>({
  "GET /oidc/start": inRust,
  "GET /oidc/callback": inRust,
  "GET /oidc/refresh": inRust,
  "GET /oidc/logout": inRust,
  "GET /oidc/logged-out": inRust,
});

const downloadHandlers = defineHandlers<DownloadRoutes>({
  "GET /downloads/files/*name": inRust,
  "GET /downloads/named": inRust,
  "GET /downloads/source": inRust,
  "GET /downloads/bytes": inRust,
  "GET /downloads/cached": inRust,
  "GET /downloads/no-directory": inRust,
  "GET /downloads/endless": inRust,
});

const draftHandlers = defineHandlers<DraftRoutes>({ "POST /drafts": inRust, "GET /drafts": inRust });
const wrappedDraftHandlers = defineHandlers<WrappedDraftRoutes>({
  "POST /wrapped/drafts": inRust,
  "POST /outer/drafts": inRust,
});
const draftSocketHandlers = defineHandlers<DraftSocketRoutes>({ "WS /drafts/live": inRust });

const wrapped = [
  { name: "limited", middleware: limited, priority: 20 },
  { name: "cached", middleware: cached, priority: 10 },
  { name: "tagged", middleware: pass, priority: 0 },
  { name: "timed", middleware: timed, priority: -10 },
];

createApp({
  server: nativeServer(),
  middleware: [
    { name: "global9", middleware: pass, priority: 9 },
    { name: "global5", middleware: pass, priority: 5 },
  ],
  routes: [
    { handlers: appHandlers },
    { handlers: wrongHandlers },
    {
      handlers: photoHandlers,
      on: {
        "POST /avatars": { limits: { bodyBytes: 2_199_023_255_552 } },
        "POST /archives": { bodyMinBytesPerSecond: 0 },
      },
    },
    { handlers: orderHandlers, middleware: [{ name: "group7", middleware: pass, priority: 7 }] },
    { handlers: guardedHandlers, middleware: [{ name: "auth", middleware: pass, priority: 6 }] },
    {
      handlers: contractHandlers,
      on: { "POST /orders": { limits: { bodyBytes: 4096 }, requestTimeoutMs: 2000 } },
    },
    { handlers: formatHandlers },
    { handlers: downloadHandlers },
    {
      handlers: chunkHandlers,
      on: { "PUT /chunks": { limits: { bodyBytes: 100_000 } } },
    },
    {
      handlers: messageHandlers,
      on: { "WS /messages/both": { limits: { bodyBytes: 1000 } } },
    },
    {
      handlers: socketHandlers,
      on: { "WS /tuned": { sockets: { pingMs: 50, compression: true }, limits: { bodyBytes: 2000 } } },
    },
    {
      handlers: limitedHandlers,
      middleware: [{ name: "limitedByHeader", middleware: pass, priority: 0 }],
    },
    {
      handlers: sharedLimitHandlers,
      middleware: [{ name: "limitedInValkey", middleware: pass, priority: 0 }],
    },
    {
      handlers: tokenHandlers,
      middleware: [{ name: "requireToken", middleware: requireToken, priority: 0 }],
    },
    { handlers: keyHandlers },
    { handlers: loginHandlers },
    {
      handlers: keyOwnerHandlers,
      middleware: [{ name: "requireKey", middleware: requireKey, priority: 0 }],
    },
    {
      handlers: visitorHandlers,
      middleware: [{ name: "readSession", middleware: pass, priority: 0 }],
    },
    {
      handlers: memberHandlers,
      middleware: [{ name: "requireSession", middleware: requireSession, priority: 0 }],
    },
    {
      handlers: draftHandlers,
      middleware: [{ name: "readCaller", middleware: readCaller, priority: 0 }],
    },
    {
      handlers: wrappedDraftHandlers,
      middleware: [{ name: "readCaller", middleware: readCaller, priority: 0 }],
      on: {
        "POST /wrapped/drafts": { middleware: [{ name: "timed", middleware: timed, priority: 1 }] },
        "POST /outer/drafts": { middleware: [{ name: "timed", middleware: timed, priority: -1 }] },
      },
    },
    {
      handlers: draftSocketHandlers,
      middleware: [{ name: "readCaller", middleware: readCaller, priority: 0 }],
    },
    {
      handlers: guardedSocketHandlers,
      middleware: [{ name: "guard", middleware: pass, priority: 0 }],
    },
    {
      handlers: wrappedSocketHandlers,
      middleware: [{ name: "refused", middleware: refused, priority: 0 }],
    },
    {
      handlers: reportHandlers,
      on: { "GET /reports/:id": { middleware: wrapped }, "POST /reports": { middleware: wrapped } },
    },
  ],
});
