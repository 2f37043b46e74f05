import type { Shape } from "@kit/core/codec";

import { envelope, type ErrorFormat } from "./error-format.ts";
import type { ContractFormat, ContractParts, Contracts, Slot } from "./contracts.ts";
import { messageNames } from "./messages.ts";
import { placesOf, type SchemaPlace } from "./places.ts";
import { alternatives, boundsOf, expectedOf, rulesOf } from "./rules.ts";

/**
 * Kind of an item: the route itself, a response, a property, a member of a union, a bound such as `maxLength`, a rule, or a
 * message of a WebSocket or an event.
 */
export type ItemKind = "route" | "answer" | "field" | "member" | "bound" | "rule" | "message";

/** Part of a contract that coverage counts, for example one rule of one property. Tests cover an item or miss it. */
export interface Item {
  readonly kind: ItemKind;
  readonly route: string;
  readonly slot?: Slot;
  readonly path?: string;
  /** Name of the rule, bound, member or response. */
  readonly what?: string;
}

export const SLOTS: readonly Slot[] = ["params", "query", "headers", "cookies", "body"];

/** Name of the item for the maximum depth of a type that contains itself. */
export const NESTING = "nesting";

/** Name of the item for the rule that a body is valid JSON. */
export const JSON_TEXT = "JSON";

/** Returns the id of an item. Only equal items have the same id. */
export function idOf({ kind, route, slot, path, what }: Item): string {
  return [kind, route, slot ?? "", path ?? "", what ?? ""].join("\n");
}

/** Returns all items of the contracts, route by route. */
export function itemsOf({ routes, errors = envelope }: Pick<Contracts, "routes" | "errors">): Item[] {
  const found = new Map<string, Item>();
  for (const contract of routes) {
    if (contract.skipped === true) continue;
    for (const item of itemsOfRoute(contract, errors)) found.set(idOf(item), item);
  }
  return [...found.values()];
}

function* itemsOfRoute(contract: ContractParts, format: ErrorFormat): Generator<Item, void> {
  const { route, formats = [] } = contract;
  const parts = SLOTS.flatMap((slot) => Array.from(itemsOfSlot(route, slot, contract[slot])));
  // Of formats other than JSON, coverage does not count fields.
  const json = formats.find((one) => one.format === "json")?.value;
  parts.push(...itemsOfSlot(route, "body", json));
  yield { kind: "route", route };
  const canBeRefused = parts.some(({ kind }) => kind === "rule") || formats.some(isChecked);
  for (const what of answersOf(contract, canBeRefused, format)) yield { kind: "answer", route, what };
  for (const one of formats) yield formatItem(route, one, formats.length);
  yield* parts;
  for (const what of messageNames(contract)) yield { kind: "message", route, what };
}

/**
 * Returns the item for one of `count` formats of a body. A request with such a body covers the item if the response is a success. Formats
 * of a union have the name of their first media type, because a union may have several formats of one kind.
 */
export function formatItem(route: string, { format, types }: ContractFormat, count: number): Item {
  const name = count === 1 ? format : types[0];
  return { kind: "field", route, slot: "body", path: "$", what: `format ${name}` };
}

/** Returns false if kit checks no value of a body in the format. */
function isChecked({ format }: ContractFormat): boolean {
  return format !== "raw" && format !== "bytes" && format !== "chunks";
}

function* itemsOfSlot(route: string, slot: Slot, shape: Shape | undefined): Generator<Item, void> {
  if (shape === undefined) return;
  if (slot === "body") yield { kind: "rule", route, slot, path: "$", what: JSON_TEXT };
  for (const place of placesOf(slot, shape)) yield* itemsOfPlace(route, place);
}

function* itemsOfPlace(route: string, place: SchemaPlace): Generator<Item, void> {
  const { path, shape, position, optional, isField, isDiscriminant } = place;
  const { slot } = position;
  const at = { route, slot, path };
  if (isField) yield { kind: "field", ...at };
  if (isDiscriminant) return;
  if (isField ? optional === false && slot !== "params" : position.isRoot && slot === "body") {
    yield { kind: "rule", ...at, what: "required" };
  }
  for (const { name } of rulesOf(shape, position)) yield { kind: "rule", ...at, what: name };
  if (place.isRecursive && slot === "body") yield { kind: "rule", ...at, what: NESTING };
  for (const { name } of boundsOf(shape, position)) yield { kind: "bound", ...at, what: name };
  const { others } = alternatives(shape);
  if (others.length > 1)
    for (const member of others) yield { kind: "member", ...at, what: expectedOf(member) };
}

/** Returns the names of the responses that a route can send: successes, validation errors and declared errors. */
export function answersOf(
  { successes, errors, body, formats }: ContractParts,
  canBeRefused: boolean,
  { validationStatus }: ErrorFormat,
): string[] {
  const own = [
    ...(canBeRefused ? [`${validationStatus} VALIDATION_ERROR`] : []),
    ...(body === undefined && formats === undefined
      ? []
      : ["413 PAYLOAD_TOO_LARGE", "415 UNSUPPORTED_MEDIA_TYPE"]),
  ];
  return [...successes.map(String), ...new Set([...own, ...errors])];
}
