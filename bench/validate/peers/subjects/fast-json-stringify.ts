/** Peer: fast-json-stringify. It serializes a `Date` because of its `format: "date-time"`. */
import build from "fast-json-stringify";

import type { Subject } from "../../subject.ts";
import { schemas } from "./schemas.ts";

const serialize = (type: string) => build(schemas[type] as never) as (value: unknown) => string;

/** Subject fast-json-stringify. */
export const subject: Subject = {
  serialize: {
    Profile: serialize("Profile"),
    Order: serialize("Order"),
    Articles: serialize("Articles"),
    Message: serialize("Message"),
  },
};
