// Linters of OpenAPI documents.

import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";

/** Returns the problems that Redocly reports, one per line. */
export async function redocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

/** Returns the problems that Spectral reports, one per line. */
export async function stoplight(source: string): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas, "recommended"]] } as Parameters<typeof linter.setRuleset>[0]);
  const problems = await linter.run(JSON.parse(source) as Record<string, unknown>);
  return problems.map(({ code, message, path }) => `${code} ${path.join("/")}: ${message}`);
}
