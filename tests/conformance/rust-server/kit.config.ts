import { type Config, defineConfig } from "@kit/cli";
import { rustServer } from "@kit/plugin-rust-server";

const config: Config = defineConfig({
  routeFiles: ["api/**/*.ts"],
  plugins: [rustServer({ db: "sqlx", profile: "dev", client: true })],
});

export default config;
