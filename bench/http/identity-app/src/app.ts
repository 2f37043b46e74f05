import { createApp, defineHandlers } from "@kit/core";

import { find, knownId } from "../../app/src/store.ts";
import { chosenServer } from "../../subjects/chosen-server.ts";
import { cookieKey } from "../../subjects/identity.ts";
import { guard, sessions } from "./guards.ts";
import type { LoginRoutes, NoteRoutes } from "./identity.routes.ts";

const noteHandlers = defineHandlers<NoteRoutes>({ "GET /note": () => find(knownId)! });

const loginHandlers = defineHandlers<LoginRoutes>({
  "POST /login": ({ ctx }) => sessions.start(ctx, "ada", { name: "Ada" }),
});

/** Application that is measured. */
export const app = createApp({
  server: await chosenServer(),
  cookies: { keys: [cookieKey] },
  routes: [
    { handlers: noteHandlers, middleware: [{ name: "guard", middleware: guard, priority: 0 }] },
    { handlers: loginHandlers },
  ],
});
