import type { HealthOptions, ReadHealth } from "../request/health.ts";
import { requireStaticPath } from "./plain-path.ts";
import { suggestName } from "./suggestion.ts";

const known: Readonly<Record<keyof HealthOptions, true>> = { live: true, ready: true, checks: true };

/**
 * Reads the option `health`. Returns `null` if it is off.
 *
 * @throws {TypeError} If the option is invalid. The message names the problem.
 */
export function readHealth(option: boolean | HealthOptions): ReadHealth | null {
  if (option === false) return null;
  if (option !== true && (typeof option !== "object" || option === null)) {
    throw new TypeError("createApp: `health` must be true, false or an object");
  }
  const options: HealthOptions = option === true ? {} : option;
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    const near = suggestName(name, Object.keys(known));
    throw new TypeError(`createApp: there is no option \`health.${name}\`${near}`);
  }
  const { live = "/healthz", ready = "/readyz", checks = {} } = options;
  requireStaticPath(live, "health.live", "/healthz");
  requireStaticPath(ready, "health.ready", "/readyz");
  if (live === ready)
    throw new TypeError("createApp: `health.live` and `health.ready` must be two different paths");
  if (typeof checks !== "object" || checks === null || Array.isArray(checks)) {
    throw new TypeError("createApp: `health.checks` must be an object of functions");
  }
  const entries = Object.entries(checks);
  for (const [name, check] of entries) {
    if (typeof check !== "function")
      throw new TypeError(`createApp: \`health.checks.${name}\` must be a function`);
  }
  return { live, ready, checks: entries };
}
