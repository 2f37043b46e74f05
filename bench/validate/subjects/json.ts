/** `JSON.stringify`, which does not know the type and serializes all members. */
import type { Subject } from "../subject.ts";

const write = (value: unknown): string => JSON.stringify(value);

/** Subject: the engine's own function. */
export const subject: Subject = {
  serialize: { Profile: write, Order: write, Articles: write, Message: write },
};
