import { defineConfig } from "vite";

// The API on the port of `npm run dev`.
const api = "http://localhost:3000";

export default defineConfig({
  server: { port: 5173, strictPort: true, proxy: { "/todos": api } },
  build: { target: "es2022" },
});
