import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  // Where the page is worked on with `npx vite`, the sidecar of a running application answers its questions.
  server: { proxy: { "/_debug": "http://localhost:9800" } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist-dashboard",
    emptyOutDir: true,
    target: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    // Nothing stands in the page itself: its security policy has no `data:`.
    assetsInlineLimit: 0,
    license: { fileName: "licenses.md" },
    reportCompressedSize: false,
  },
});
