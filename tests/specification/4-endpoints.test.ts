import { run } from "./run.ts";
import { rules } from "./sections/4-1-rules.ts";
import { notesEndpoints, otherEndpoints } from "./sections/4-2-notes.ts";
import { sidecarEndpoints } from "./sections/4-4-sidecar.ts";
import { commands } from "./sections/4-5-commands.ts";
import { inspection } from "./sections/4-6-inspect.ts";
import { rustServer } from "./sections/4-7-rust.ts";

run(rules, notesEndpoints, otherEndpoints, sidecarEndpoints, commands, inspection, rustServer);
