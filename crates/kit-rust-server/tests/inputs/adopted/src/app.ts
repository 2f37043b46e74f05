import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { MachineRoutes } from "./machines.routes.ts";

const unused = (): never => {
  throw new Error("no test calls the TypeScript server");
};

export const machineHandlers = defineHandlers<MachineRoutes>({
  "POST /machines": unused,
  "GET /machines": unused,
  "GET /addresses": unused,
  "GET /machines/:code": unused,
  "PUT /machines/:code": unused,
  "DELETE /machines/:code": unused,
});

export const app = createApp({
  server: nativeServer(),
  routes: [{ prefix: "/", handlers: machineHandlers }],
});
