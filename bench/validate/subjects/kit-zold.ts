/** Subject kit: the output of `kit build` for bench/validate/app. */
import type { Serializer, ValidationFailure, Validator } from "@kit/types";

import type { Subject, TypeName } from "../subject.ts";
import { consume } from "../sink.ts";

const compiled = new URL("../app/.kit-old/", import.meta.url);

async function load<T>(name: string): Promise<T> {
  const module = (await import(new URL("codecs.js", compiled).href)) as Record<string, T>;
  return module[name] as T;
}

function validator(type: TypeName): Promise<Validator<unknown>> {
  return load(`${type}Validator`);
}

function serializer(type: TypeName): Promise<Serializer<unknown>> {
  return load(`${type}Serializer`);
}

/**
 * Runs the fast check and, if it fails, the slow function that explains the failures, as kit's servers do. Reads the properties of a
 * failure that responses contain.
 */
const explain =
  (
    { is, failures }: Validator<unknown>,
    read: (failure: ValidationFailure) => void,
  ): ((value: unknown) => number) =>
  (value) => {
    if (is(value)) return 0;
    const found = failures(value);
    for (const failure of found) read(failure);
    return found.length;
  };

/** Reads those properties of a failure that a response contains in production. */
function readAnswered({ path, expected }: ValidationFailure): void {
  consume(path);
  consume(expected);
}

/** Reads those properties of a failure that a response contains in development. */
function readAll({ path, expected, received, suggestion }: ValidationFailure): void {
  consume(path);
  consume(expected);
  consume(received);
  consume(suggestion);
}

const decode = ({ is, decode: read }: Validator<unknown>): ((value: unknown) => unknown) => {
  return (value) => (is(value) ? read(value) : undefined);
};

const [profile, order, log, payments, contact, articles] = await Promise.all([
  validator("Profile"),
  validator("Order"),
  validator("Log"),
  validator("Payments"),
  validator("Contact"),
  validator("Articles"),
]);

/** Subject kit. */
export const subject: Subject = {
  check: {
    Profile: profile.is,
    Order: order.is,
    Log: log.is,
    Payments: payments.is,
    Contact: contact.is,
  },
  explain: { Profile: explain(profile, readAnswered), Order: explain(order, readAnswered) },
  decode: { Profile: decode(profile), Order: decode(order), Articles: decode(articles) },
  serialize: {
    Profile: (await serializer("Profile")).serialize,
    Order: (await serializer("Order")).serialize,
    Articles: (await serializer("Articles")).serialize,
    Message: (await serializer("Message")).serialize,
  },
};

/** Subject kit that reads `received` and `suggestion` of every failure too, as responses in development need them. */
export const inFull: Subject = {
  ...subject,
  explain: { Profile: explain(profile, readAll), Order: explain(order, readAll) },
};
