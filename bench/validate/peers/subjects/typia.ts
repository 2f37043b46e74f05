/** typia, compiled ahead of time from the same types (see ../src/typia.ts). `decode` deletes undeclared keys from the value. */
import type { Subject } from "../../subject.ts";
import { is, prune, stringify, validate } from "../generated/typia.ts";

const count =
  (validator: (value: unknown) => { success: boolean; errors?: unknown[] }) =>
  (value: unknown): number => {
    const result = validator(value);
    return result.success ? 0 : (result.errors?.length ?? 0);
  };

const pruned =
  (check: (value: unknown) => boolean) =>
  (value: unknown): unknown =>
    check(value) ? value : undefined;

/** typia. */
export const subject: Subject = {
  check: is,
  explain: { Profile: count(validate.Profile), Order: count(validate.Order) },
  decode: { Profile: pruned(prune.Profile), Order: pruned(prune.Order) },
  serialize: stringify as NonNullable<Subject["serialize"]>,
};
