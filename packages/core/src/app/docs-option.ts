import { documentPath, messagesPath } from "../request/api-documents.ts";
import type { ReadHealth } from "../request/health.ts";
import { requireStaticPath } from "./plain-path.ts";

/** Options of the API reference. */
export interface DocsOptions {
  /** Path of the API reference. Default `/docs`. */
  readonly path?: string;
}

/** Validated option `docs`, with its default path. */
export interface ReadDocs {
  readonly path: string;
  /** True if the program enabled the option. A missing package is an error in that case. */
  readonly isRequired: boolean;
}

/**
 * Reads the option `docs`. Returns `null` if it is off.
 *
 * @throws {TypeError} If the option is invalid. The message names the problem.
 */
export function readDocs(
  option: boolean | DocsOptions | undefined,
  isProduction: boolean,
  health: ReadHealth | null,
): ReadDocs | null {
  const { path, isRequired } = readOption(option, isProduction);
  if (path === null) return null;
  requireStaticPath(path, "docs.path", "/docs");
  for (const [name, other] of [
    ["the OpenAPI document", documentPath],
    ["the AsyncAPI document", messagesPath],
    ["`health.live`", health?.live],
    ["`health.ready`", health?.ready],
  ]) {
    if (path === other)
      throw new TypeError(`createApp: \`docs.path\` is ${path}, which is the path of ${name}`);
  }
  return { path, isRequired };
}

function readOption(
  option: boolean | DocsOptions | undefined,
  isProduction: boolean,
): { readonly path: string | null; readonly isRequired: boolean } {
  const path = "/docs";
  if (option === undefined) return { path: isProduction ? null : path, isRequired: false };
  if (typeof option === "boolean") return { path: option ? path : null, isRequired: option };
  if (typeof option !== "object" || option === null || Array.isArray(option)) {
    throw new TypeError('createApp: `docs` must be true, false or an object such as { path: "/docs" }');
  }
  for (const name of Object.keys(option)) {
    if (name !== "path") throw new TypeError(`createApp: there is no option \`docs.${name}\``);
  }
  return { path: option.path ?? path, isRequired: true };
}
