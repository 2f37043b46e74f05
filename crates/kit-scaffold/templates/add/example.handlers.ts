import { defineHandlers } from "@kit/core";
import type { ExampleRoutes } from "./example.routes.ts";

/** What the API does under `/example`. */
export const exampleHandlers = defineHandlers<ExampleRoutes>({
  "GET /example": () => ({ ready: true }),
});
