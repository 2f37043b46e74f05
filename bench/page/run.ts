/**
 * `cargo xtask bench page`: writes the tables and the picture of docs/performance.md again from the recorded results. The same results
 * always give the same bytes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { render } from "./render.ts";

const repository = join(import.meta.dirname, "../..");
const page = join(repository, "docs/performance.md");
const { markdown, svg } = render(readFileSync(page, "utf8"), join(repository, "bench/results"));
writeFileSync(page, markdown);
writeFileSync(join(repository, "docs/performance.svg"), svg);
console.log("wrote docs/performance.md and docs/performance.svg");
