import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  // During development with `npx vite`, the sidecar of a running application responds to the page's requests.
  server: { proxy: { "/_debug": "http://localhost:9800" } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist-dashboard",
    emptyOutDir: true,
    target: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    // Inlines no files, because the page's security policy does not allow `data:` URLs.
    assetsInlineLimit: 0,
    license: { fileName: "licenses.md" },
    reportCompressedSize: false,
  },
});
