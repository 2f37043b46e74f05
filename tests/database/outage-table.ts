// Prints how clients of the notes API notice an outage of PostgreSQL. Run `node tests/database/outage-table.ts [seconds]`; the outage
// lasts 60 seconds by default.

import { Cluster } from "./support/cluster.ts";
import { measureOutage } from "./support/measure.ts";
import { migrate, missing, NotesServer } from "./support/notes-server.ts";

const seconds = Math.min(600, Number(process.argv[2] ?? 60));
console.log("| server | phase | requests | p50 ms | p99 ms | statuses |\n|---|---|---|---|---|---|");
for (const runtime of ["node", "rust"] as const) {
  const reason = missing(runtime);
  if (reason !== undefined) {
    console.error(`SKIPPED ${runtime}: ${reason}`);
    continue;
  }
  const cluster = await Cluster.start();
  try {
    await migrate(cluster);
    const server = await NotesServer.start(runtime, cluster.url);
    try {
      for (const { name, count, p50, p99, statuses } of await measureOutage(cluster, server, seconds)) {
        const counts = Object.entries(statuses).map(([status, times]) => `${status}: ${times}`);
        console.log(`| ${runtime} | ${name} | ${count} | ${p50} | ${p99} | ${counts.join(", ")} |`);
      }
    } finally {
      await server.stop();
    }
  } finally {
    await cluster.remove();
  }
}
