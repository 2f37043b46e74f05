import { idempotent } from "@kit/idempotency";
import { pool } from "./database.ts";

/** Executes a request of an account once, also if the client repeats the request with the same idempotency key. */
export const once = idempotent({ pool });
