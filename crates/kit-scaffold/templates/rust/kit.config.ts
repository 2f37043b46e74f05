import { defineConfig } from "@kit/cli";
import { rustServer } from "@kit/plugin-rust-server";

export default defineConfig({
  typeFiles: ["api/**/*.types.ts"],
  routeFiles: ["api/**/*.routes.ts"],
  plugins: [rustServer({ db: "sqlx", contractTests: true })],
});
