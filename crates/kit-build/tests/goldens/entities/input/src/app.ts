import { createApp, defineHandlers, defineMiddleware } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { NoteRoutes } from "./notes/notes.routes.ts";
import type { UserRoutes } from "./users/contracts.ts";

const audit = defineMiddleware(() => ({}));
const requireAuth = defineMiddleware<{ userId: string }>(() => ({ userId: "1" }));

export const noteHandlers = defineHandlers<NoteRoutes>({
  "POST /": ({ ctx }) => ctx.fail(501, "NOT_IMPLEMENTED", "not here"),
  "GET /": ({ ctx }) => ctx.fail(501, "NOT_IMPLEMENTED", "not here"),
  "GET /:id": ({ ctx }) => ctx.fail(501, "NOT_IMPLEMENTED", "not here"),
  "PUT /:id": ({ ctx }) => ctx.fail(501, "NOT_IMPLEMENTED", "not here"),
  "DELETE /notes/:id": () => {},
});

export const userHandlers = defineHandlers<UserRoutes>({
  "GET /users": ({ ctx }) => ctx.fail(501, "NOT_IMPLEMENTED", "not here"),
  "POST /users": ({ ctx }) => ctx.fail(501, "NOT_IMPLEMENTED", "not here"),
});

export const app = createApp({
  server: nativeServer(),
  middleware: [{ name: "audit", middleware: audit, priority: 20 }],
  routes: [
    {
      prefix: "/notes",
      handlers: noteHandlers,
      middleware: [{ name: "requireAuth", middleware: requireAuth, priority: 10 }],
    },
    { prefix: "", handlers: userHandlers },
  ],
});
