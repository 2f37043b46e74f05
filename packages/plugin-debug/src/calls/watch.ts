import type { PluginHost } from "@kit/core";

import type { CurrentSpan } from "./current-span.ts";
import { watchHttp } from "./http.ts";
import { watchPg } from "./pg.ts";

/** Notes what middleware and handlers ask of others as spans of theirs, until it is told to stop. */
export function watchCalls(current: CurrentSpan, { projectRoot }: PluginHost): () => void {
  const ends = [watchHttp(current), watchPg(current, projectRoot)];
  return () => {
    for (const end of ends) end?.();
  };
}
