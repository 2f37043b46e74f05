/** Peer: typia's other way to remove undeclared properties. It copies the declared ones and does not change the value, like kit. */
import type { Subject } from "../../subject.ts";
import { clone } from "../generated/typia.ts";

/** Subject typia, which copies values. */
export const subject: Subject = { decode: { Profile: clone.Profile, Order: clone.Order } };
