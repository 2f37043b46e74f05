import { defineConfig } from "@kit/cli";

export default defineConfig({
  // Each package declares its own types and contracts. The application combines them.
  typeFiles: ["{packages/*/src,src}/**/*.types.ts"],
  routeFiles: ["{packages/*/src,src}/**/*.routes.ts"],
  tests: {
    // Ids for the contract tests, which no contract declares.
    fixtures: "tests/fixtures.ts",
  },
});
