/** A package of kit's that an application may do without. */
export interface OptionalPackage {
  /** `@kit/otel`. */
  readonly name: string;
  /** The option of `createApp` that needs it. */
  readonly option: string;
  /** What it exports for core; its `version` says whether they understand each other. */
  readonly member: string;
}

const supportedVersion = 1;

/**
 * Loads what the package exports for core; nothing where it is not installed and nobody asked for it.
 *
 * @throws {Error} that says what to install.
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
    `The installed ${name} is not made for this version of @kit/core; install the same version of both`,
  );
}

function isMissing(error: unknown, name: string): boolean {
  return (
    error instanceof Error &&
    (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" &&
    // And not something that it needs.
    error.message.includes(`'${name}'`)
  );
}
