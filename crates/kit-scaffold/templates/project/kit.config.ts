import { defineConfig } from "@kit/cli";

export default defineConfig({
  tests: {
    // Who asks in the contract tests; `requireAuth` lets them pass.
    headers: { authorization: "Bearer tester:user" },
    // What no contract says, such as which ids there are.
    fixtures: "tests/fixtures.ts",
  },
});
