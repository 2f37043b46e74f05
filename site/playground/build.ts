/**
 * Builds the page of the playground: `node site/playground/build.ts COMPILER DIRECTORY`. COMPILER is `kit-playground.wasm`. The page works
 * below any path. With `--brotli`, the printed sizes include those of brotli, which takes half a minute.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { build } from "vite";

const [program, directory, option] = process.argv.slice(2);
if (program === undefined || directory === undefined) {
  throw new Error(
    "Name the compiler and the directory: node site/playground/build.ts kit-playground.wasm DIRECTORY",
  );
}
const withBrotli = option === "--brotli";
const out = resolve(directory);
const compiler = readFileSync(program);
const compressed = gzipSync(compiler, { level: 9 });
const name = `compiler-${createHash("sha256").update(compressed).digest("hex").slice(0, 8)}.bin`;

await build({
  root: import.meta.dirname,
  base: "./",
  configFile: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es" },
  define: { COMPILER_FILE: JSON.stringify(`assets/${name}`), COMPILER_BYTES: String(compressed.length) },
  build: {
    outDir: out,
    emptyOutDir: true,
    target: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    // The security policy of the page does not allow scripts and styles in `data:` URLs.
    assetsInlineLimit: 0,
    license: { fileName: "licenses.txt" },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
});
mkdirSync(join(out, "assets"), { recursive: true });
writeFileSync(join(out, "assets", name), compressed);

const kilobytes = (bytes: Uint8Array): string => `${Math.round(bytes.length / 1000)} KB`;
function sizes(label: string, bytes: Uint8Array, gzip: Uint8Array): string {
  const text = `${label}: ${kilobytes(bytes)}, ${kilobytes(gzip)} with gzip`;
  return withBrotli ? `${text}, ${kilobytes(brotliCompressSync(bytes))} with brotli` : text;
}
console.log(sizes("compiler", compiler, compressed));
const scripts = readdirSync(join(out, "assets")).filter((file) => /\.(js|css)$/.test(file));
const page = Buffer.concat(scripts.map((file) => readFileSync(join(out, "assets", file))));
console.log(sizes("page", page, gzipSync(page, { level: 9 })));
