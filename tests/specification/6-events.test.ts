import { run } from "./run.ts";
import { hooks, lifecycle, logs, spans } from "./sections/6-events.ts";

run(hooks, logs, spans, lifecycle);
