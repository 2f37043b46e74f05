/** Peer: typia, compiled ahead of time from the same types (see ../src/typia.ts). `decode` deletes undeclared properties from the value. */
import type { Subject } from "../../subject.ts";
import { consume } from "../../sink.ts";
import { is, prune, stringify, validate } from "../generated/typia.ts";

const count =
  (validator: (value: unknown) => { success: boolean; errors?: { path: string; expected: string }[] }) =>
  (value: unknown): number => {
    const { errors } = validator(value);
    if (errors === undefined) return 0;
    for (const { path, expected } of errors) {
      consume(path);
      consume(expected);
    }
    return errors.length;
  };

const pruned =
  (check: (value: unknown) => boolean) =>
  (value: unknown): unknown =>
    check(value) ? value : undefined;

/** Subject typia. */
export const subject: Subject = {
  check: is,
  explain: { Profile: count(validate.Profile), Order: count(validate.Order) },
  decode: { Profile: pruned(prune.Profile), Order: pruned(prune.Order) },
  serialize: stringify as NonNullable<Subject["serialize"]>,
};
