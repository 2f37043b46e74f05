import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";

import type { SidecarState } from "./sidecar-state.ts";
import type { DashboardInfo } from "./shapes.ts";

const developmentPollMs = 1_000;
const productionPollMs = 3_000;

/** Returns the information that the dashboard requests first. */
export async function infoOf(state: SidecarState): Promise<DashboardInfo> {
  const { host, address, instance, isProduction, replayToken, rateLimit } = state;
  // Polling uses a third of the requests that the rate limit allows. The others are for the page's other requests and
  // for `kit inspect`.
  const limited = rateLimit === null ? 0 : Math.ceil((rateLimit.windowMs / rateLimit.max) * 3);
  return {
    instance,
    mode: isProduction ? "production" : "development",
    application: {
      name: await nameOf(host.projectRoot),
      url: address.url,
      adapter: host.serverAdapter,
    },
    projectRoot: isProduction ? null : host.projectRoot,
    replayToken,
    pollMs: Math.max(isProduction ? productionPollMs : developmentPollMs, limited),
    absent: {},
  };
}

async function nameOf(root: string): Promise<string> {
  try {
    const { name } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { name?: unknown };
    if (typeof name === "string" && name !== "") return name;
  } catch {
    // There is no readable `package.json`, so the name of the directory is used instead.
  }
  return basename(root);
}
