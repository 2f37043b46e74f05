/** Input of `typia generate`: one function for each measured type and operation. ../subjects/typia.ts calls the generated functions. */
import { createIs, createValidate, json, misc } from "typia";
import type { Articles, Contact, Log, Message, Order, Payments, Profile } from "../../app/src/bench.types.ts";

export const is = {
  Profile: createIs<Profile>(),
  Order: createIs<Order>(),
  Log: createIs<Log>(),
  Payments: createIs<Payments>(),
  Contact: createIs<Contact>(),
};

export const validate = {
  Profile: createValidate<Profile>(),
  Order: createValidate<Order>(),
};

/** Functions that check a value and then delete undeclared properties from it. */
export const prune = {
  Profile: misc.createIsPrune<Profile>(),
  Order: misc.createIsPrune<Order>(),
};

/** Functions that check a value and then copy its declared properties. */
export const clone = {
  Profile: misc.createIsClone<Profile>(),
  Order: misc.createIsClone<Order>(),
};

export const stringify = {
  Profile: json.createStringify<Profile>(),
  Order: json.createStringify<Order>(),
  Articles: json.createStringify<Articles>(),
  Message: json.createStringify<Message>(),
};
