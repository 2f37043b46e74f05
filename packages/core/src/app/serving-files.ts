import type { ServedFiles, ServerService } from "@kit/types";

import { serviceAround } from "./service-around.ts";

/** Returns a service whose adapter may serve files without the service. */
export function servingFiles(service: ServerService, servedFiles: ServedFiles): ServerService {
  return { ...serviceAround(service, (_exchange, pass) => pass()), servedFiles };
}
