import { rateLimit } from "@kit/rate-limit";
import { environment } from "./environment.ts";

// Tests send many requests from one address.
const isTest = process.env["NODE_ENV"] === "test";
const manyRequests = 100_000;

/** Limits how often an address may try a password. */
export const limitLogins = rateLimit({
  limit: `${isTest ? manyRequests : environment.LOGINS_PER_MINUTE}/min`,
  name: "logins",
});

/** Limits how often an account may change something. */
export const limitWrites = rateLimit({
  limit: `${isTest ? manyRequests : environment.WRITES_PER_MINUTE}/min`,
  name: "writes",
  by: "auth.subject",
});
