import { run } from "./run.ts";
import { packages, service } from "./sections/1-service.ts";

run(service, packages);
