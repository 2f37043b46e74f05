import type { Shape } from "@kit/core/codec";
import type { MessageKind, TestedMessage } from "@kit/types";

import type { ContractParts } from "./contracts.ts";
import { alternatives, expectedOf, fits, resolve } from "./rules.ts";

/** Message that a contract allows: a member of the union of messages, or an event. */
interface Variant {
  readonly name: string;
  isSeen(message: TestedMessage): boolean;
}

/** Returns the names of the messages of a WebSocket, or of the events of a response: one for each member of a union. */
export function messageNames(contract: ContractParts): string[] {
  return variantsOf(contract).map(({ name }) => name);
}

/** Returns the names that a message has. Returns an empty list for a message that breaks the contract. */
export function seenNames(contract: ContractParts, message: TestedMessage): string[] {
  return variantsOf(contract)
    .filter((variant) => variant.isSeen(message))
    .map(({ name }) => name);
}

function variantsOf({ socket, events }: ContractParts): Variant[] {
  if (socket !== undefined) {
    const { in: received, out: sent, kinds } = socket;
    return [...socketVariants("in", received, kinds?.in), ...socketVariants("out", sent, kinds?.out)];
  }
  return Object.keys(events ?? {}).map((event) => ({
    name: `event ${event}`,
    isSeen: (message) => message.event === event,
  }));
}

function socketVariants(
  direction: "in" | "out",
  shape: Shape | null,
  kinds: readonly MessageKind[] = ["json"],
): Variant[] {
  const variants = shape === null ? [] : jsonVariants(direction, shape);
  if (kinds.includes("text"))
    variants.push({
      name: `${direction} text`,
      isSeen: (message) => message.direction === direction && message.isBinary === undefined,
    });
  if (kinds.includes("bytes"))
    variants.push({
      name: `${direction} bytes`,
      isSeen: (message) => message.direction === direction && message.isBinary === true,
    });
  return variants;
}

function jsonVariants(direction: "in" | "out", shape: Shape): Variant[] {
  const { others: members, takesNull } = alternatives(resolve(shape));
  const names = members.map(nameOf);
  const variants = members.map((member, index): Variant => {
    const name = names[index]!;
    // Members can have the same name, such as two objects without a name.
    const isUnique = names.indexOf(name) === names.lastIndexOf(name);
    return {
      name: `${direction} ${isUnique ? name : `${name}, member ${index + 1}`}`,
      isSeen: (message) => message.direction === direction && isFirstFit(members, index, message.text),
    };
  });
  const isAny = members.some((member) => resolve(member).kind === "unknown");
  if (takesNull && !isAny)
    variants.push({
      name: `${direction} null`,
      isSeen: (message) => message.direction === direction && message.text === "null",
    });
  return variants;
}

/** Returns true if the member at an index is the first that accepts a message. */
function isFirstFit(members: readonly Shape[], index: number, text: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  return members.findIndex((member) => fits(member, value)) === index;
}

/** Returns the name of a type, the literals that distinguish an object (`type "join"`), or a description. */
function nameOf(member: Shape): string {
  const resolved = resolve(member);
  if (resolved.kind !== "object") return expectedOf(member);
  if (resolved.name !== undefined) return resolved.name;
  const literals = resolved.properties.flatMap(({ key, shape }) => {
    const literal = resolve(shape);
    return literal.kind === "literal" ? [`${key} ${JSON.stringify(String(literal.value))}`] : [];
  });
  return literals.length > 0 ? literals.join(", ") : "object";
}
