import { type Config, defineConfig } from "@kit/cli";
import { rustServer } from "@kit/plugin-rust-server";

const config: Config = defineConfig({
  database: { adapter: "raw" },
  plugins: [rustServer({ db: "sqlx", profile: "dev" })],
});

export default config;
