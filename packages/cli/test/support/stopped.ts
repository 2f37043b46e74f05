import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until the embedded database of a project has stopped, which it does soon after its last client. Its files must not be removed
 * before that.
 */
export async function stopped(root: string): Promise<void> {
  const files = ["postgres", "tests"].map((of) => join(root, ".data", of, "cluster/postmaster.pid"));
  for (let waited = 0; files.some((file) => existsSync(file)); waited += 100) {
    assert.ok(waited < 30_000, "the embedded database did not stop");
    // oxlint-disable-next-line no-await-in-loop
    await sleep(100);
  }
}
