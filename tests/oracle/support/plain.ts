// Writes a type as TypeScript according to kit's interpretation. Values are compared with this form if kit interprets a type differently.
//
// Brands and names of enums do not exist on the wire, a property that may be `undefined` may be missing, and an object type with an index
// signature accepts JSON objects only, while TypeScript assigns a list to `{ [key: number]: string }`. `{}` accepts everything that
// TypeScript assigns to it.

import type { Graph } from "./graph.ts";

/** Returns true if values must be compared with another form of the type, because kit interprets it differently. */
export function needsPlain(graph: Graph, type: number): boolean {
  return graph.reachable(type).some((id) => {
    const node = graph.get(id);
    if (graph.nominal.has(id)) return true;
    if (node.kind !== "object") return false;
    const onlyKeys = node.properties.length === 0 && node.index.length > 0;
    return onlyKeys || node.properties.some((property) => property.written === true);
  });
}

/** Returns TypeScript declarations of the type, and of all types in it, as kit interprets them. Their names are `prefix` with a number. */
export function plain(graph: Graph, type: number, prefix: string): { name: string; text: string } {
  const named = (id: number): boolean =>
    ["object", "array", "tuple", "union"].includes(graph.get(id).kind) ||
    graph.resolve(id) === graph.resolve(type);
  const reference = (id: number): string => (named(id) ? `${prefix}_${graph.resolve(id)}` : body(id));
  const template = (parts: readonly (string | number)[]): string => {
    const texts = parts.map((part) =>
      typeof part === "string" ? part.replaceAll(/[\\`$]/g, "\\$&") : `\${${reference(part)}}`,
    );
    return `\`${texts.join("")}\``;
  };
  const body = (id: number): string => {
    const node = graph.get(id);
    switch (node.kind) {
      case "literal":
        return node.value;
      case "template":
        return template(node.parts);
      case "array":
        return `${reference(node.element)}[]`;
      case "tuple":
        return `[${node.elements
          .map((e) => (e.rest ? `...${reference(e.type)}[]` : `${reference(e.type)}${e.optional ? "?" : ""}`))
          .join(", ")}]`;
      case "object": {
        const members = node.properties.map(
          (p) => `${JSON.stringify(p.name)}${p.optional ? "?" : ""}: ${reference(p.type)}`,
        );
        for (const { key, type: value } of node.index)
          members.push(`[key: ${typeof key === "string" ? key : template(key)}]: ${reference(value)}`);
        const open =
          node.properties.length === 0 &&
          node.index.length > 0 &&
          !node.index.some(({ key }) => key === "string");
        return `{ ${members.join("; ")} }${open ? " & { [key: string]: unknown }" : ""}`;
      }
      case "union":
        return graph.members(id).map(reference).join(" | ");
      case "date":
        return "Date";
      case "bytes":
        return "Uint8Array";
      default:
        return node.kind;
    }
  };
  const text = graph
    .reachable(type)
    .filter(named)
    .map((id) => `export type ${reference(id)} = ${body(id)};\n`)
    .join("");
  return { name: `${prefix}_${graph.resolve(type)}`, text };
}
