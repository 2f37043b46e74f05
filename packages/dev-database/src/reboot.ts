import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";

import type { DataLocation } from "./home.ts";

/** Greatest difference in milliseconds between two computed times of the same boot. The time differs if the clock was adjusted. */
const TOLERANCE_MS = 60_000;

/**
 * Removes a data directory that is used without fsync if the machine has booted since the last start. A
 * reboot loses data that was only in memory, and PostgreSQL cannot detect the loss. If only the process
 * ended, nothing is lost.
 */
export function forgetAfterReboot(state: string, home: DataLocation): void {
  const file = join(state, "boot");
  const now = currentBoot();
  if (existsSync(home.cluster) && !isSame(existsSync(file) ? readFileSync(file, "utf8") : "", now)) {
    rmSync(home.cluster, { recursive: true, force: true });
  }
  writeFileSync(file, now);
}

/** Returns an identifier that changes with each boot: the boot id on Linux, the time of the boot on other systems. */
function currentBoot(): string {
  if (process.platform === "linux") return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return String(Math.round(Date.now() - uptime() * 1000));
}

function isSame(before: string, now: string): boolean {
  return before === now || Math.abs(Number(before) - Number(now)) < TOLERANCE_MS;
}
