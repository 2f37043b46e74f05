// Compares types in a graph by their structure, including recursive types.

import type { Graph, Node } from "./graph.ts";

/**
 * Assigns a color to each type. Two types have the same color if and only if no path into them, of any length, finds a difference. Starts
 * with one color for all types and splits the colors by the content of the types until nothing changes. So the result does not depend on
 * the location at which a recursive type has a name.
 *
 * @example
 * const colours = colour(graph);
 * assert.equal(colours.get(ofTypeScript), colours.get(ofKit));
 */
export function colour(graph: Graph): Map<number, number> {
  // A union whose members are the same type equals that type, which only the colors of its members show.
  const single = new Map<number, number>();
  for (;;) {
    const colours = split(graph, (id) => single.get(graph.resolve(id)) ?? graph.resolve(id));
    const before = single.size;
    for (const id of colours.keys()) {
      const at = graph.resolve(id);
      if (single.has(at) || graph.get(at).kind !== "union") continue;
      const [first, ...others] = graph.members(at);
      if (first !== undefined && others.every((other) => colours.get(other) === colours.get(first)))
        single.set(at, first);
    }
    if (single.size === before) return colours;
  }
}

function split(graph: Graph, resolve: (id: number) => number): Map<number, number> {
  const ids = [...new Set(graph.nodes.map((_, id) => resolve(id)))];
  let colours = new Map(ids.map((id) => [id, 0]));
  let classes = 1;
  for (;;) {
    const keys = new Map<string, number>();
    const next = new Map<number, number>();
    for (const id of ids) {
      const of = (child: number): string => String(colours.get(resolve(child)));
      const key = `${colours.get(id)} ${describe(graph, id, of)}`;
      const known = keys.get(key) ?? keys.size;
      keys.set(key, known);
      next.set(id, known);
    }
    colours = next;
    if (keys.size === classes) break;
    classes = keys.size;
  }
  const all = new Map<number, number>();
  graph.nodes.forEach((_, id) => all.set(id, colours.get(resolve(id)) ?? -1));
  return all;
}

/** Returns the content of a type as a string. The types that it refers to are represented by their colors. */
function describe(graph: Graph, id: number, of: (child: number) => string): string {
  const parts = (list: readonly (string | number)[]): string =>
    list.map((part) => (typeof part === "string" ? JSON.stringify(part) : `#${of(part)}`)).join();
  const node: Node = graph.get(id);
  switch (node.kind) {
    case "literal":
      return node.value;
    case "template":
      return `template ${parts(node.parts)}`;
    case "array":
      return `array ${of(node.element)}`;
    case "tuple":
      return `tuple ${node.elements.map((e) => `${e.rest ? "..." : ""}${of(e.type)}${e.optional ? "?" : ""}`).join()}`;
    case "object": {
      const properties = node.properties.map(
        (p) => `${JSON.stringify(p.name)}${p.optional ? "?" : ""}:${of(p.type)}`,
      );
      const index = node.index.map(
        (i) => `[${typeof i.key === "string" ? i.key : parts(i.key)}]:${of(i.type)}`,
      );
      return `object ${properties.toSorted().join()} ${index.toSorted().join()}`;
    }
    case "union":
      return `union ${[...new Set(graph.members(id).map(of))].toSorted().join()}`;
    case "other":
      return `other ${node.text}`;
    default:
      return node.kind;
  }
}
