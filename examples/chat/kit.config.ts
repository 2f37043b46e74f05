import { defineConfig } from "@kit/cli";

export default defineConfig({ tests: { fixtures: "tests/fixtures.ts" } });
