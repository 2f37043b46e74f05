import { createApp, defineHandlers, defineMiddleware, defineWrapper } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { Failure } from "@kit/types";
import type {
  AccountRoutes,
  LibraryRoutes,
  ProjectRoutes,
  PublicRoutes,
  SettingRoutes,
  SharedRoutes,
  TaskRoutes,
} from "./projects.routes.ts";
import type { Wait } from "./projects.types.ts";

interface Added {
  user: { readonly id: string; readonly send: (text: string) => void };
}

const log = defineMiddleware(() => {});
/** @throws UNAUTHORIZED 401 Nobody says who asks. */
const requireUser = defineMiddleware<Added>(() => ({ user: { id: "1", send: () => {} } }));
const requireAccount = defineMiddleware<{ accountId: number; tenantId: string }>(() => ({
  accountId: 1,
  tenantId: "00000000-0000-4000-8000-000000000000",
}));

// A wrapper's errors do not belong to the meaning of the routes, so the handlers of the routes are generated.
const limited = defineWrapper<{
  errors: Failure<429, "TOO_MANY_SETTINGS", Wait> | Failure<404, "SETTING_HIDDEN">;
}>((_input, next) => next());

const notHere = (): never => {
  throw new Error("the TypeScript server is not what is looked at here");
};

export const projectHandlers = defineHandlers<ProjectRoutes>({
  "POST /projects": notHere,
  "GET /projects": notHere,
  "GET /projects/:id": notHere,
  "PATCH /projects/:id": notHere,
  "DELETE /projects/:id": notHere,
  "GET /projects/:projectId/tasks": notHere,
  "GET /projects/:projectId/tasks/:id": notHere,
  "PATCH /projects/:projectId/tasks/:id": notHere,
  "DELETE /projects/:projectId/tasks/:id": notHere,
  "GET /tasks/:parentId/tasks/:taskId": notHere,
});
export const taskHandlers = defineHandlers<TaskRoutes>({
  "POST /tasks": notHere,
  "GET /tasks": notHere,
  "GET /newest/tasks": notHere,
  "GET /tasks/:id": notHere,
  "PUT /tasks/:id": notHere,
  "DELETE /tasks/:id": notHere,
});
export const settingHandlers = defineHandlers<SettingRoutes>({
  "POST /settings/:userId": notHere,
  "GET /settings/:userId/:name": notHere,
  "PUT /settings/:userId/:name": notHere,
  "DELETE /settings/:userId/:name": notHere,
});
export const accountHandlers = defineHandlers<AccountRoutes>({
  "POST /labels": notHere,
  "GET /labels": notHere,
  "GET /labels/sorted": notHere,
  "DELETE /labels/:id": notHere,
  "POST /uploads": notHere,
  "GET /uploads": notHere,
  "PUT /uploads/:id": notHere,
});
export const libraryHandlers = defineHandlers<LibraryRoutes>({
  "POST /shelves": notHere,
  "POST /books": notHere,
  "GET /books": notHere,
  "GET /newest/books": notHere,
  "GET /books/:id": notHere,
  "PUT /books/:id": notHere,
});
export const sharedHandlers = defineHandlers<SharedRoutes>({
  "POST /drafts": notHere,
  "GET /drafts": notHere,
  "GET /drafts/:id": notHere,
  "POST /countries": notHere,
  "GET /countries": notHere,
  "GET /countries/pages": notHere,
  "POST /remarks": notHere,
});
export const publicHandlers = defineHandlers<PublicRoutes>({
  "GET /open/projects/:id": notHere,
  "GET /open/drafts": notHere,
  "POST /open/remarks": notHere,
});

export const app = createApp({
  server: nativeServer(),
  middleware: [],
  cors: {
    origins: ["https://app.example.com"],
    credentials: true,
    exposedHeaders: ["ETag"],
    maxAgeSeconds: 60,
  },
  securityHeaders: { strictTransportSecurity: "max-age=60", frameOptions: false },
  compression: { encodings: ["gzip"], minBytes: 2048 },
  etag: true,
  staticFiles: [
    {
      dir: "dist/assets",
      prefix: "/assets",
      cacheControl: "public, max-age=31536000, immutable",
      precompressed: true,
    },
    {
      dir: "dist",
      headers: { "X-Site": "a" },
      spa: "index.html",
      spaExcept: ["/api"],
      dotFiles: true,
      followSymlinks: true,
    },
  ],
  csrf: { token: { cookie: "__Host-csrf", header: "X-Csrf-Token" } },
  requestLog: { skipPaths: ["/open/drafts"], sampleRate: 0.5, userAgent: true },
  routes: [
    { prefix: "/", handlers: projectHandlers, middleware: [log, requireUser] },
    {
      prefix: "/",
      handlers: taskHandlers,
      middleware: [{ name: "requireUser", middleware: requireUser, priority: 5 }],
    },
    { prefix: "/", handlers: settingHandlers, middleware: [requireUser, limited] },
    { prefix: "/", handlers: accountHandlers, middleware: [requireAccount] },
    { prefix: "/", handlers: libraryHandlers, middleware: [requireUser] },
    { prefix: "/", handlers: sharedHandlers, middleware: [requireUser] },
    { prefix: "/", handlers: publicHandlers },
  ],
});
