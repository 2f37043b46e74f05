import { defineHandlers } from "@kit/core";
import type { ExampleRoutes } from "./example.routes.ts";

/** Handlers of the routes under `/example`. */
export const exampleHandlers = defineHandlers<ExampleRoutes>({
  "GET /example": () => ({ ready: true }),
});
