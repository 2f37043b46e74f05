import { createApp, defineHandlers, defineMiddleware, defineWrapper } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { Auth, Events, Failure, Lines, Reply, Text } from "@kit/types";
import type { Counted, DraftRoutes, ExportRoutes, Job, PlainRoutes, ReportRoutes } from "./reports.routes.ts";

const timed = defineWrapper<{ adds: { startedAt: number } }>((_input, next) => next({ startedAt: 0 }));
const cached = defineWrapper<{
  replies:
    | Reply<304, void, { etag: string }>
    | Reply<202, Job, { "retry-after": number }>
    | Reply<203, Lines<Job>>
    | Reply<207, Events<{ job: Job }>>
    | Reply<226, Text<"text/csv">>;
}>((_input, next) => next());
const limited = defineWrapper<{ errors: Failure<429, "TOO_MANY_REPORTS", Counted> }>((_input, next) =>
  next(),
);
const requireReader = defineMiddleware<{ readerId: string }>(() => ({ readerId: "1" }));
/** @security bearer */
const requireUser = defineMiddleware<{ auth: Auth<"drafts:read" | "drafts:write" | "admin"> }>(() => ({
  auth: { has: () => false },
}));
const log = defineMiddleware(() => {});

const notHere = (): never => {
  throw new Error("the TypeScript server is not what is looked at here");
};

export const reportHandlers = defineHandlers<ReportRoutes>({
  "GET /reports/:id": notHere,
  "POST /reports": notHere,
  "DELETE /reports/:id": notHere,
});
export const exportHandlers = defineHandlers<ExportRoutes>({ "GET /exports/:id": notHere });
export const plainHandlers = defineHandlers<PlainRoutes>({ "GET /plain": notHere });
export const draftHandlers = defineHandlers<DraftRoutes>({ "POST /drafts": notHere, "GET /drafts": notHere });

export const app = createApp({
  server: nativeServer(),
  routes: [
    {
      prefix: "/",
      handlers: reportHandlers,
      middleware: [
        { name: "requireReader", middleware: requireReader, priority: 1 },
        { name: "timed", middleware: timed, priority: 2 },
        { name: "log", middleware: log, priority: 3 },
        { name: "cached", middleware: cached, priority: 4 },
        { name: "limited", middleware: limited, priority: 5 },
      ],
    },
    { prefix: "/", handlers: exportHandlers, middleware: [timed] },
    { prefix: "/", handlers: plainHandlers, middleware: [log] },
    { prefix: "/", handlers: draftHandlers, middleware: [requireUser, timed] },
  ],
});
