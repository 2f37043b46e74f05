import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { BenchRoutes } from "./bench.routes.ts";

const handlers = defineHandlers<BenchRoutes>({ "POST /orders": ({ body }) => body });

/** Application that is only built, because a build requires one. The application is never started. */
export const app = createApp({ server: nativeServer(), routes: [{ handlers }] });
