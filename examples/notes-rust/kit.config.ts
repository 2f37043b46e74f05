import { defineConfig } from "@kit/cli";
import { rustServer } from "@kit/plugin-rust-server";

// `api` is the directory with the sources of the other example: one contract, two servers.
export default defineConfig({
  typeFiles: ["api/**/*.types.ts"],
  routeFiles: ["api/**/*.routes.ts"],
  database: { adapter: "raw" },
  plugins: [rustServer({ db: "sqlx", profile: "dev", contractTests: true, client: true })],
});
