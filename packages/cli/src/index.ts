/**
 * Configuration of the `kit` command. The command itself is `bin/kit.js`.
 *
 * @module
 */
export { defineConfig } from "./config.ts";
export type { Config, DatabaseConfig, RouteTestsConfig, TestsConfig } from "./config.ts";
export type {
  AfterRouteTableEvent,
  AfterTypeParseEvent,
  AfterValidatorsEvent,
  BeforeTransformEvent,
  BuildConfig,
  BuildTests,
  BuildContext,
  BuildEvent,
  CompileEvent,
  DoneEvent,
  EmitEvent,
  Plugin,
  PluginFile,
  PluginHooks,
  PluginReport,
  Tap,
} from "./plugins/plugin.ts";
export type * from "./plugins/program.ts";
