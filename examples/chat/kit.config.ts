import { defineConfig } from "@kit/cli";

export default defineConfig({});
