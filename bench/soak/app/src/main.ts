import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { noteHandlers, requireAuth, troubleHandlers } from "./handlers.ts";

const app = createApp({
  server: nativeServer(),
  routes: [
    { handlers: noteHandlers, middleware: [{ name: "requireAuth", middleware: requireAuth, priority: 10 }] },
    { handlers: troubleHandlers },
  ],
});
const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
console.log(JSON.stringify({ port }));
