import type { TelemetryModule } from "@kit/types";

/** Not a literal, so that no bundler looks for it: most applications do not have it. */
const packageName: string = "@kit/otel";
const supportedVersion = 1;

/**
 * Loads `@kit/otel`.
 *
 * @throws {Error} that says what to install.
 */
export async function findTelemetry(
  load: () => Promise<unknown> = () => import(packageName),
): Promise<TelemetryModule> {
  let loaded: unknown;
  try {
    loaded = await load();
  } catch (cause) {
    if (!isMissing(cause)) throw new Error(`${packageName} could not be loaded`, { cause });
    throw new Error(
      `createApp: \`telemetry\` needs the package ${packageName}, which is not installed; run \`npm install ${packageName}\`, or leave \`telemetry\` out`,
      { cause },
    );
  }
  const { telemetry } = loaded as { readonly telemetry?: TelemetryModule };
  if (telemetry?.version === supportedVersion) return telemetry;
  throw new Error(
    `The installed ${packageName} is not made for this version of @kit/core; install the same version of both`,
  );
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" &&
    // And not something that it needs.
    error.message.includes(`'${packageName}'`)
  );
}
