/** Installs the packages that kit is compared with. Each directory of peers has its own package.json and lock file. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the versions that the package.json in a directory of peers names. */
export function peerVersions(peers: string): Readonly<Record<string, string>> {
  const text = readFileSync(join(peers, "package.json"), "utf8");
  return (JSON.parse(text) as { dependencies: Record<string, string> }).dependencies;
}

/** Installs the packages of a directory of peers if one is missing or has another version. */
export function installPeers(peers: string): void {
  const there = Object.entries(peerVersions(peers)).every(([name, version]) => {
    const file = join(peers, "node_modules", name, "package.json");
    return (
      existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version === version
    );
  });
  if (there) return;
  console.error("installing the packages that kit is compared with (only once)");
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: peers,
    stdio: ["ignore", "ignore", "inherit"],
  });
}
