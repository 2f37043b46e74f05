import type { ApiDocs } from "@kit/types";

import { loadOptional } from "./optional-package.ts";

/**
 * Name of the package. The type is `string`, not a literal, so that bundlers do not include the package. The
 * package is for development, and reads files next to its code.
 */
const packageName: string = "@kit/api-docs";

/**
 * Loads `@kit/api-docs`. Returns `null` if the package is not installed and not required.
 *
 * @throws {Error} If the package is required but cannot be loaded. The message names the package to install.
 */
export function findApiDocs(
  isRequired: boolean,
  load: () => Promise<unknown> = () => import(packageName),
): Promise<ApiDocs | null> {
  return loadOptional<ApiDocs>({ name: packageName, option: "docs", member: "apiDocs" }, isRequired, load);
}
