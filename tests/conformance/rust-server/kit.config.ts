import { defineConfig } from "@kit/cli";
import { rustServer } from "@kit/plugin-rust-server";

export default defineConfig({
  routeFiles: ["api/**/*.ts"],
  plugins: [rustServer({ db: "sqlx", profile: "dev" })],
});
