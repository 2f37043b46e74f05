/**
 * Environment of an application. `development` shows errors in full, checks responses, and serves the OpenAPI document
 * and the API reference. `test` only serves the document and the reference. `production` does none of these.
 */
export type Environment = "development" | "production" | "test";

/** All valid environments. */
export const environments: readonly Environment[] = ["development", "production", "test"];

/**
 * Determines the environment of an application. This is the only function that reads `NODE_ENV`. If the environment is
 * not set, or kit does not know it (`staging`, `Development`), the result is `production`, because a default must not
 * reveal more than the developer requested.
 *
 * @param option - Option `env` of the application, which takes precedence over `NODE_ENV`.
 */
export function environmentOf(option?: Environment): Environment {
  const named = option ?? process.env["NODE_ENV"];
  return environments.find((environment) => environment === named) ?? "production";
}
