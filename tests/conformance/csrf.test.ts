// Runs every case of conformance/csrf.json on every server.

import type { CsrfOptions } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { type EdgeCase, readConformance, testEdgeCases } from "./option-cases.ts";

quietStdout();

const { options, cases } = readConformance<{
  options: Readonly<Record<string, boolean | CsrfOptions>>;
  cases: readonly EdgeCase[];
}>("csrf.json");

testEdgeCases("csrf", options, cases);
