import { defineConfig } from "@kit/cli";

export default defineConfig({
  tests: {
    // Users and ids for the contract tests, which no contract declares.
    fixtures: "tests/fixtures.ts",
  },
});
