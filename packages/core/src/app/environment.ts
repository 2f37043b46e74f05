/**
 * Environment of an application. `development` shows errors in full, checks responses and serves the OpenAPI document and the API reference;
 * `test` serves these two alone; `production` does none of it.
 */
export type Environment = "development" | "production" | "test";

/** All environments that there are. */
export const environments: readonly Environment[] = ["development", "production", "test"];

/**
 * Decides what an application is run for: the only place that reads `NODE_ENV`. An environment that is not set, or that kit does not know
 * (`staging`, `Development`), is treated as production, since a default must not show more than somebody asked for.
 *
 * @param option - What the application says itself; it goes before `NODE_ENV`.
 */
export function environmentOf(option?: Environment): Environment {
  const named = option ?? process.env["NODE_ENV"];
  return environments.find((environment) => environment === named) ?? "production";
}
