/**
 * Builds the page of the dashboard into `dist-dashboard/`, with `node build.ts`. Also writes a compressed copy of each file, so that the
 * application does not have to compress files when it serves them.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import { build } from "vite";

await build({ configFile: join(import.meta.dirname, "vite.config.ts"), logLevel: "warn" });

const directory = join(import.meta.dirname, "../dist-dashboard");
for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(html|js|css|svg)$/.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const bytes = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  const parameters = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: parameters }));
}
