/** kit package that applications install only if they use its feature. */
export interface OptionalPackage {
  /** Name of the package: `@kit/otel`. */
  readonly name: string;
  /** Option of `createApp` that enables the feature: `telemetry`. */
  readonly option: string;
  /**
   * Name of the export that `@kit/core` uses. The property `version` of this export shows if the two packages
   * are compatible.
   */
  readonly member: string;
}

const supportedVersion = 1;

/**
 * Loads a package and returns its export `member`. Returns `null` if the package is not installed and not required.
 *
 * @throws {Error} If the package cannot be loaded or is incompatible. The message names the package to install.
 */
export async function loadOptional<T extends { readonly version: number }>(
  { name, option, member }: OptionalPackage,
  isRequired: boolean,
  load: () => Promise<unknown>,
): Promise<T | null> {
  let loaded: unknown;
  try {
    loaded = await load();
  } catch (cause) {
    if (!isMissing(cause, name)) throw new Error(`${name} could not be loaded`, { cause });
    if (!isRequired) return null;
    throw new Error(
      `createApp: \`${option}\` needs the package ${name}, which is not installed; run \`npm install ${name}\`, or leave \`${option}\` out`,
      { cause },
    );
  }
  const found = (loaded as Readonly<Record<string, T | undefined>>)[member];
  if (found?.version === supportedVersion) return found;
  throw new Error(
    `The installed ${name} is for another version of @kit/core; install the same version of ${name} and @kit/core`,
  );
}

function isMissing(error: unknown, name: string): boolean {
  return (
    error instanceof Error &&
    (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" &&
    // The missing module is the package itself, not one of its dependencies.
    error.message.includes(`'${name}'`)
  );
}
