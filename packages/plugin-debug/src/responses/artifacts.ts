import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { PluginHost } from "@kit/core";

import { ErrorResponse } from "./error-response.ts";

/** Reads an artifact that `kit build` wrote to `.kit/`. Reads the file each time, because a build may have changed it. */
export async function readArtifact<T>(host: Pick<PluginHost, "projectRoot">, name: string): Promise<T> {
  try {
    return JSON.parse(await readFile(join(host.projectRoot, ".kit", name), "utf8")) as T;
  } catch (cause) {
    const reason =
      (cause as NodeJS.ErrnoException).code === "ENOENT"
        ? "is not there"
        : `cannot be read (${String(cause)})`;
    throw new ErrorResponse(
      404,
      "NOT_BUILT",
      `.kit/${name} ${reason}: run \`kit build\`, and deploy .kit/ with the application`,
    );
  }
}
