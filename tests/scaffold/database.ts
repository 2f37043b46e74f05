import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Waits until the embedded database of a project has stopped, which happens shortly after its last user. Otherwise its files would be
 * deleted while it runs.
 */
export async function databaseStopped(root: string): Promise<void> {
  const files = ["postgres", "tests"].map((of) => join(root, ".data", of, "cluster/postmaster.pid"));
  const deadline = Date.now() + 30_000;
  while (files.some((file) => existsSync(file))) {
    assert.ok(Date.now() < deadline, `the embedded database of ${root} did not stop`);
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((wake) => setTimeout(wake, 50));
  }
}
