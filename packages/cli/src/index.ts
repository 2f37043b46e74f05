/**
 * Configuration of the `kit` command. The command itself is `bin/kit.js`.
 *
 * @module
 */
export { defineConfig } from "./config.ts";
export type { Config, DatabaseConfig, RouteTestsConfig, TestsConfig } from "./config.ts";
