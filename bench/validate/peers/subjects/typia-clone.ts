/** typia's other way to be rid of undeclared keys: a copy of the declared ones, which leaves the value alone, as kit does. */
import type { Subject } from "../../subject.ts";
import { clone } from "../generated/typia.ts";

/** typia, copying. */
export const subject: Subject = { decode: { Profile: clone.Profile, Order: clone.Order } };
