import { defineConfig } from "@kit/cli";

export default defineConfig({
  tests: {
    headers: { authorization: "Bearer tester:user" },
    fixtures: "tests/fixtures.ts",
  },
});
