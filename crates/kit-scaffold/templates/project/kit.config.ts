import { defineConfig } from "@kit/cli";

export default defineConfig({
  tests: {
    // What no contract says: who asks in the contract tests, and which ids there are.
    fixtures: "tests/fixtures.ts",
  },
});
