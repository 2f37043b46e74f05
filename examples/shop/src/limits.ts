import { rateLimit } from "@kit/rate-limit";
import { environment } from "./environment.ts";

/** Limits how often an address may try a password. */
export const limitLogins = rateLimit({
  limit: `${environment.LOGINS_PER_MINUTE}/min`,
  name: "logins",
});

/** Limits how often an account may change something. */
export const limitWrites = rateLimit({
  limit: `${environment.WRITES_PER_MINUTE}/min`,
  name: "writes",
  by: "auth.subject",
});
