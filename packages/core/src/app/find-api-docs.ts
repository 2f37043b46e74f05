import type { ApiDocs } from "@kit/types";

import { loadOptional } from "./optional-package.ts";

/** Not a literal, so that no bundler looks for it: the package is for development, and reads files beside its code. */
const packageName: string = "@kit/api-docs";

/**
 * Loads `@kit/api-docs`, or gives nothing where it is not installed and nobody asked for it.
 *
 * @throws {Error} that says what to install.
 */
export function findApiDocs(
  isRequired: boolean,
  load: () => Promise<unknown> = () => import(packageName),
): Promise<ApiDocs | null> {
  return loadOptional<ApiDocs>({ name: packageName, option: "docs", member: "apiDocs" }, isRequired, load);
}
