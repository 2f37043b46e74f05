/** Starts several processes of a peer on one port, with the cluster of Node or Bun. The argument names the module of the peer. */
import cluster from "node:cluster";

if (cluster.isPrimary) {
  for (let started = 0; started < Number(process.env.ARENA_WORKERS); started += 1) cluster.fork();
  // The process exits when the benchmark exits or is killed, because its end of the pipe closes then.
  process.stdin.resume().on("end", () => process.exit());
} else {
  await import(process.argv[2]);
}
