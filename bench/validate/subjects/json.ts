/** `JSON.stringify`, which knows no type: it writes whatever is there. */
import type { Subject } from "../subject.ts";

const write = (value: unknown): string => JSON.stringify(value);

/** The engine's own. */
export const subject: Subject = {
  serialize: { Profile: write, Order: write, Articles: write, Message: write },
};
