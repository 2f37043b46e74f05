import type { TelemetryModule } from "@kit/types";

import { loadOptional } from "./optional-package.ts";

/** Not a literal, so that no bundler looks for it: most applications do not have it. */
const packageName: string = "@kit/otel";

/**
 * Loads `@kit/otel`.
 *
 * @throws {Error} that says what to install.
 */
export async function findTelemetry(
  load: () => Promise<unknown> = () => import(packageName),
): Promise<TelemetryModule> {
  const wanted = { name: packageName, option: "telemetry", member: "telemetry" };
  return (await loadOptional<TelemetryModule>(wanted, true, load))!;
}
