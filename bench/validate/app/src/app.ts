import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { BenchRoutes } from "./bench.routes.ts";

const handlers = defineHandlers<BenchRoutes>({ "POST /orders": ({ body }) => body });

/** Never started: a build requires an application. */
export const app = createApp({ server: nativeServer(), routes: [{ handlers }] });
