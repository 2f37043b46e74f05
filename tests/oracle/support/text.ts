// Formats a type of a graph as text, for reports of differences.

import type { Graph } from "./graph.ts";

const DEEPEST = 12;

/**
 * Returns a type as text, with every type that it contains written out. Properties and members are sorted. A recursive reference is
 * written as `↑` and the number of levels up to the type that it refers to.
 */
export function text(graph: Graph, id: number, open: readonly number[] = []): string {
  const at = graph.resolve(id);
  const node = graph.get(at);
  if (open.includes(at)) return `↑${open.length - open.indexOf(at)}`;
  if (open.length > DEEPEST) return "…";
  const inner = (child: number): string => text(graph, child, [...open, at]);
  const template = (parts: readonly (string | number)[]): string =>
    `\`${parts.map((part) => (typeof part === "string" ? part : `\${${inner(part)}}`)).join("")}\``;
  switch (node.kind) {
    case "literal":
      return node.value;
    case "template":
      return template(node.parts);
    case "array":
      return `${grouped(inner(node.element))}[]`;
    case "tuple":
      return `[${node.elements
        .map((e) => (e.rest ? `...${grouped(inner(e.type))}[]` : `${inner(e.type)}${e.optional ? "?" : ""}`))
        .join(", ")}]`;
    case "object": {
      const properties = node.properties.map(
        (p) => `${key(p.name)}${p.optional ? "?" : ""}: ${inner(p.type)}`,
      );
      const index = node.index.map(
        (i) => `[key: ${typeof i.key === "string" ? i.key : template(i.key)}]: ${inner(i.type)}`,
      );
      const members = [...properties.toSorted(), ...index.toSorted()];
      return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
    }
    case "union": {
      const members = new Set(graph.members(at).map((member) => text(graph, member, [...open, at])));
      const both = members.has("true") && members.has("false");
      if (both) {
        members.delete("true");
        members.delete("false");
        members.add("boolean");
      }
      return [...members].toSorted().join(" | ");
    }
    case "other":
      return node.text;
    default:
      return { date: "Date", bytes: "Uint8Array" }[node.kind as string] ?? node.kind;
  }
}

function grouped(inner: string): string {
  return inner.includes(" | ") ? `(${inner})` : inner;
}

function key(name: string): string {
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name);
}
