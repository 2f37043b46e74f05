import { run } from "./run.ts";
import {
  middlewareRules,
  requireAuth,
  sidecarOptions,
  sidecarSecurity,
} from "./sections/5-authentication.ts";

run(middlewareRules, requireAuth, sidecarSecurity, sidecarOptions);
