import { run } from "./run.ts";
import { limits, routerTargets, versions } from "./sections/8-limits.ts";

run(limits, routerTargets, versions);
