import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { SurveyRoutes } from "./surveys.routes.ts";

const notHere = (): never => {
  throw new Error("tests look at the Rust server only");
};

export const surveyHandlers = defineHandlers<SurveyRoutes>({
  "POST /languages": notHere,
  "POST /surveys": notHere,
  "GET /surveys": notHere,
  "GET /surveys/:id": notHere,
  "PATCH /surveys/:id": notHere,
});

export const app = createApp({
  server: nativeServer(),
  routes: [{ prefix: "/", handlers: surveyHandlers }],
});
