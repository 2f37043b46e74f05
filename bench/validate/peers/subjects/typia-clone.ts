/** Peer: typia's other way to remove undeclared properties. Like kit, the function copies the declared properties and does not change the value. */
import type { Subject } from "../../subject.ts";
import { clone } from "../generated/typia.ts";

/** Subject typia, which copies values. */
export const subject: Subject = { decode: { Profile: clone.Profile, Order: clone.Order } };
