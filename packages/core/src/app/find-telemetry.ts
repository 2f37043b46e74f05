import type { TelemetryModule } from "@kit/types";

import { loadOptional } from "./optional-package.ts";

/**
 * Name of the package. The type is `string`, not a literal, so that bundlers do not include the package: most
 * applications do not use it.
 */
const packageName: string = "@kit/otel";

/**
 * Loads `@kit/otel`.
 *
 * @throws {Error} If the package cannot be loaded. The message names the package to install.
 */
export async function findTelemetry(
  load: () => Promise<unknown> = () => import(packageName),
): Promise<TelemetryModule> {
  const wanted = { name: packageName, option: "telemetry", member: "telemetry" };
  return (await loadOptional<TelemetryModule>(wanted, true, load))!;
}
