import assert from "node:assert/strict";
import { relative } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { EventQueue } from "../src/dev/event-queue.ts";
import { Project } from "./support/project.ts";

test("reports a file that is edited while a build reads it for the first time", async (t) => {
  const own = await Project.create(t, { "a.ts": "" });
  const linked = await Project.create(t, { "edited.ts": "1", "left.ts": "1" });
  const request = { root: own.root, ignored: [], tests: true, files: [], written: [] };
  const watching = new EventQueue();
  t.after(() => watching.close());
  watching.watch(request);
  // Longer than the error of a file's modification time.
  await sleep(40);
  await own.write("a.ts", "1");
  assert.deepEqual(await watching.next(), { kind: "changed", files: ["a.ts"] });

  await linked.write("edited.ts", "2");
  const files = ["edited.ts", "left.ts"].map((name) => `${linked.root}/${name}`);
  watching.watch({ ...request, files });
  const edited = relative(own.root, files[0]!).replaceAll("\\", "/");
  assert.deepEqual(await watching.next(), { kind: "changed", files: [edited] });

  // The same change is not reported a second time.
  const next = watching.next();
  watching.watch({ ...request, files });
  assert.equal(await Promise.race([next, sleep(100, "nothing")]), "nothing");
  watching.deliver({ kind: "quit" });
  await next;
});

/** Returns the number of files and directories that this process watches. */
function watchers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "FSEventWrap").length;
}

test("watches no more files after it is closed, so that the process can exit", async (t) => {
  const own = await Project.create(t, { "a.ts": "" });
  const linked = await Project.create(t, { "edited.ts": "1" });
  const before = watchers();
  const queue = new EventQueue();
  const request = { root: own.root, ignored: [], tests: true, files: [], written: [] };
  queue.watch(request);
  assert.ok(watchers() > before);
  queue.close();
  // The application reports the files of linked packages 50 ms after it has loaded them, so a report may arrive
  // while `kit dev` closes the application.
  queue.watchAlso("app", [`${linked.root}/edited.ts`]);
  queue.watch({ ...request, files: [`${linked.root}/edited.ts`] });
  // A watcher counts as active until the event loop has closed it.
  await sleep(10);
  assert.equal(watchers(), before);
});
