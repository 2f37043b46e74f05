import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";

import type { Home } from "./home.ts";

/** How far apart two computations of one moment may be, in milliseconds: clocks are set. */
const TOLERANCE_MS = 60_000;

/**
 * Removes a cluster that was not synced where the machine has started again since: what it had of it in memory only is lost, and
 * PostgreSQL could not tell. A process that ends, however it does, loses nothing.
 */
export function forgetAfterReboot(state: string, home: Home): void {
  const file = join(state, "boot");
  const now = currentBoot();
  if (existsSync(home.cluster) && !isSame(existsSync(file) ? readFileSync(file, "utf8") : "", now)) {
    rmSync(home.cluster, { recursive: true, force: true });
  }
  writeFileSync(file, now);
}

/** What tells this run of the machine from others: Linux has a name for it, elsewhere it is the moment when it began. */
function currentBoot(): string {
  if (process.platform === "linux") return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return String(Math.round(Date.now() - uptime() * 1000));
}

function isSame(before: string, now: string): boolean {
  return before === now || Math.abs(Number(before) - Number(now)) < TOLERANCE_MS;
}
