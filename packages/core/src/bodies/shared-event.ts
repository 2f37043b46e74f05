/** Events that many readers receive. */

/**
 * Freezes an event and its data, so that kit writes the text of the event once for all streams that yield the event.
 * Use this function if many clients receive the same events.
 *
 * Objects and arrays are frozen, so later changes throw an error. The text of an event with other objects, such as a `Date`,
 * is written for each stream.
 *
 * @example
 * ```ts
 * function publish(readers: Iterable<{ push(event: object): void }>, percent: number): void {
 *   const event = sharedEvent({ event: "progress", data: { percent } });
 *   for (const reader of readers) reader.push(event);
 * }
 * ```
 */
export function sharedEvent<const TEvent extends { readonly event: string }>(event: TEvent): TEvent {
  freeze(event);
  return event;
}

function freeze(value: unknown): void {
  if (!isPlain(value) || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}

/** Returns true if a value and all of its parts can never change. */
export function isConstant(value: unknown): boolean {
  if (typeof value === "function") return false;
  if (typeof value !== "object" || value === null) return true;
  if (!isPlain(value) || !Object.isFrozen(value)) return false;
  // A getter may return other values.
  return Object.values(Object.getOwnPropertyDescriptors(value)).every(
    (property) => "value" in property && isConstant(property.value),
  );
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
