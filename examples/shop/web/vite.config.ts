import { defineConfig } from "vite";

export default defineConfig({
  // The API allows pages of this port: `WEB_ORIGINS`.
  server: { port: 5173, strictPort: true },
  build: { target: "es2022" },
});
