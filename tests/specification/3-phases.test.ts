import { run } from "./run.ts";
import { phases } from "./sections/3-phases.ts";

run(phases);
