/**
 * Peer: ajv with its formats. `check` stops at the first failure, `explain` collects all failures, and `decode` deletes undeclared
 * properties.
 */
import { Ajv, type Options, type ValidateFunction } from "ajv";
import formats from "ajv-formats";

import type { Subject } from "../../subject.ts";
import { consume } from "../../sink.ts";
import { schemas } from "./schemas.ts";

function compile(type: string, options: Options): ValidateFunction {
  const ajv = new Ajv({ discriminator: true, allowUnionTypes: true, ...options });
  formats.default(ajv);
  return ajv.compile(schemas[type] as object);
}

const check = (type: string) => compile(type, {}) as (value: unknown) => boolean;

const explain = (type: string): ((value: unknown) => number) => {
  const validate = compile(type, { allErrors: true });
  return (value) => {
    if (validate(value) || !validate.errors) return 0;
    for (const { instancePath, message } of validate.errors) {
      consume(instancePath);
      consume(message);
    }
    return validate.errors.length;
  };
};

const decode = (type: string): ((value: unknown) => unknown) => {
  const validate = compile(type, { removeAdditional: "all" });
  return (value) => (validate(value) ? value : undefined);
};

/** Subject ajv. */
export const subject: Subject = {
  check: {
    Profile: check("Profile"),
    Order: check("Order"),
    Log: check("Log"),
    Payments: check("Payments"),
    Contact: check("Contact"),
  },
  explain: { Profile: explain("Profile"), Order: explain("Order") },
  decode: { Profile: decode("Profile"), Order: decode("Order") },
};
