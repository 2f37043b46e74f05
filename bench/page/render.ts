import { join } from "node:path";

import { devSection, fill, goalsSection, httpSection, picture, startSection } from "./markdown.ts";
import { readResult } from "./results.ts";

/** Returns the page docs/performance.md with new tables, and its picture. `results` is the directory of the recorded results. */
export function render(page: string, results: string): { readonly markdown: string; readonly svg: string } {
  const http = readResult(join(results, "http.json"));
  const start = readResult(join(results, "start.json"));
  let markdown = fill(page, "goals", goalsSection([...(http?.rows ?? []), ...(start?.rows ?? [])]));
  markdown = fill(markdown, "http", httpSection(http));
  markdown = fill(markdown, "start", startSection(start));
  markdown = fill(markdown, "dev", devSection(readResult(join(results, "dev.json"))));
  return { markdown, svg: picture(http, start) };
}
