import type { PluginHost } from "@kit/core";

import type { CurrentSpan } from "./current-span.ts";
import { watchHttp } from "./http.ts";
import { watchPg } from "./pg.ts";

/** Records the HTTP requests and SQL queries that middleware and handlers send, as child spans. Returns a function that stops recording. */
export function recordOutgoingCalls(current: CurrentSpan, { projectRoot }: PluginHost): () => void {
  const ends = [watchHttp(current), watchPg(current, projectRoot)];
  return () => {
    for (const end of ends) end?.();
  };
}
