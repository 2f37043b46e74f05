// Tests servers whose standard output and error have been closed.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { Cluster, freePort } from "./support/cluster.ts";
import { migrate, missing, NotesServer } from "./support/notes-server.ts";

let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start();
  await migrate(cluster);
});
after(() => cluster?.remove());

for (const runtime of ["node", "rust"] as const) {
  it(
    `the notes API on ${runtime} serves requests, logs errors and stops normally after the reader of its output has closed the pipe`,
    {
      timeout: 60_000,
      skip: missing(runtime) ?? false,
    },
    async () => {
      const server = await NotesServer.startUnread(runtime, cluster.url, await freePort());
      try {
        await cluster.stop();
        // Each of these requests writes a log entry.
        for (let count = 0; count < 3; count += 1) assert.equal((await server.get("/notes")).status, 503);
        await cluster.run();
        // The Rust server notices within a second that the database works again. It responds with 503 until then.
        const deadline = Date.now() + 10_000;
        let { status } = await server.get("/notes");
        while (status === 503 && Date.now() < deadline) {
          await sleep(50);
          ({ status } = await server.get("/notes"));
        }
        assert.equal(status, 200);
      } finally {
        assert.equal(await server.stop(), 0);
      }
    },
  );
}
