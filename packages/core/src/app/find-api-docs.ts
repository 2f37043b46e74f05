import type { ApiDocs } from "@kit/types";

/** Not a literal, so that no bundler looks for it: the package is for development, and reads files beside its code. */
const packageName: string = "@kit/api-docs";
const supportedVersion = 1;

/**
 * Loads `@kit/api-docs`, or gives nothing where it is not installed and nobody asked for it.
 *
 * @throws {Error} that says what to install.
 */
export async function findApiDocs(
  isRequired: boolean,
  load: () => Promise<unknown> = () => import(packageName),
): Promise<ApiDocs | null> {
  let loaded: unknown;
  try {
    loaded = await load();
  } catch (cause) {
    if (!isMissing(cause)) throw new Error(`${packageName} could not be loaded`, { cause });
    if (!isRequired) return null;
    throw new Error(
      `createApp: \`docs\` needs the package ${packageName}, which is not installed; run \`npm install ${packageName}\`, or leave \`docs\` out`,
      { cause },
    );
  }
  const { apiDocs } = loaded as { readonly apiDocs?: ApiDocs };
  if (apiDocs?.version === supportedVersion) return apiDocs;
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
