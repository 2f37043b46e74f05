import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { BookRoutes } from "./books.routes.ts";
import { realWorldErrors } from "./errors.ts";

const unused = (): never => {
  throw new Error("no test calls the TypeScript server");
};

export const bookHandlers = defineHandlers<BookRoutes>({ "GET /books": unused, "POST /books": unused });

export const app = createApp({
  server: nativeServer(),
  routes: [{ handlers: bookHandlers }],
  errors: { format: realWorldErrors, validationStatus: 422 },
  etag: { generate: false },
  csrf: true,
  requestLog: true,
});
