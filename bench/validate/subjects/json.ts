/** Peer: `JSON.stringify`, which does not know the type, so it serializes all properties. */
import type { Subject } from "../subject.ts";

const write = (value: unknown): string => JSON.stringify(value);

/** Subject `JSON.stringify`. */
export const subject: Subject = {
  serialize: { Profile: write, Order: write, Articles: write, Message: write },
};
