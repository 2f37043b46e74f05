/**
 * Builds the page of the playground: `node site/playground/build.ts COMPILER DIRECTORY`. COMPILER is `kit-playground.wasm`. The page works
 * below any path. With `--brotli`, the printed sizes include those of brotli, which takes half a minute.
 */
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { build } from "vite";

import { notices, packagesOf, readLinked } from "../vitepress/notices.ts";

const [program, directory, option] = process.argv.slice(2);
if (program === undefined || directory === undefined) {
  throw new Error(
    "Name the compiler and the directory: node site/playground/build.ts kit-playground.wasm DIRECTORY",
  );
}
/** File with the licences of the packages whose code is in the page. */
const LICENSES = "licenses.txt";
const withBrotli = option === "--brotli";
const out = resolve(directory);
const compiler = readFileSync(program);
const compressed = gzipSync(compiler, { level: 9 });
const name = `compiler-${createHash("sha256").update(compressed).digest("hex").slice(0, 8)}.bin`;

/** Ids of the modules of the worker, whose licences `build.license` leaves out. */
const inWorker = new Set<string>();

await build({
  root: import.meta.dirname,
  base: "./",
  configFile: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: {
    format: "es",
    plugins: () => [
      {
        name: "kit-notices",
        generateBundle(_, bundle): void {
          const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
          for (const id of chunks.flatMap(({ moduleIds }) => moduleIds)) inWorker.add(id);
        },
      },
    ],
  },
  define: { COMPILER_FILE: JSON.stringify(`assets/${name}`), COMPILER_BYTES: String(compressed.length) },
  build: {
    outDir: out,
    emptyOutDir: true,
    target: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    // The security policy of the page does not allow scripts and styles in `data:` URLs.
    assetsInlineLimit: 0,
    license: { fileName: LICENSES },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
});
const repository = join(import.meta.dirname, "../..");
const mit = readFileSync(join(repository, "xtask/src/notices/MIT.txt"), "utf8");
const ofWorker = packagesOf(inWorker, join(repository, "node_modules")).map((one) => readLinked(one, mit));
appendFileSync(join(out, LICENSES), `\n${notices(ofWorker)}`);
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
