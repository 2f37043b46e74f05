/** Installing what is measured beside kit: a directory with a package.json and a lock file of its own. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The versions that a directory of peers names. */
export function peerVersions(peers: string): Readonly<Record<string, string>> {
  const text = readFileSync(join(peers, "package.json"), "utf8");
  return (JSON.parse(text) as { dependencies: Record<string, string> }).dependencies;
}

/** Installs the peers where one is missing or of another version. */
export function installPeers(peers: string): void {
  const there = Object.entries(peerVersions(peers)).every(([name, version]) => {
    const file = join(peers, "node_modules", name, "package.json");
    return (
      existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version === version
    );
  });
  if (there) return;
  console.error("installing what is measured beside kit (once)");
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: peers,
    stdio: ["ignore", "ignore", "inherit"],
  });
}
