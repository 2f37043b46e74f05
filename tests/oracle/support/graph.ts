// Types as a graph: a common form for TypeScript's types and kit's IR.
//
// The graph ignores what TypeScript distinguishes and kit does not: names of types, the order of union members and of properties,
// `readonly`, labels, and whether `boolean` is a type or the union of two literals.

/** Type. It refers to other types by their index in the graph. */
export type Node =
  | { kind: Scalar }
  /** `value` in TypeScript's notation: `"a"`, `1`, `true`, `1n`. */
  | { kind: "literal"; value: string }
  | { kind: "template"; parts: (string | number)[] }
  | { kind: "array"; element: number }
  | { kind: "tuple"; elements: Element[] }
  | { kind: "object"; properties: Property[]; index: Index[] }
  | { kind: "union"; members: number[] }
  /** Type without a form in kit's IR: a function, `any`, a class of the runtime. */
  | { kind: "other"; text: string }
  /** Name for another type, or a reserved node. A reserved node exists only while the graph is built. */
  | { kind: "same"; as: number };

/** Kinds without further data. */
export type Scalar =
  | "unknown"
  | "never"
  | "null"
  | "undefined"
  | "number"
  | "string"
  | "bigint"
  | "date"
  | "bytes";

/** Property. An explicit `undefined` in its type is the same as `?`. */
export interface Property {
  name: string;
  type: number;
  optional: boolean;
  /**
   * True if the property must be present although it may be `undefined`. kit has no such distinction, but TypeScript requires it in checked
   * values.
   */
  written?: boolean;
}

/** Element of a tuple. */
export interface Element {
  type: number;
  optional: boolean;
  rest: boolean;
}

/** Index signature: `string`, `number`, or the segments of a template. */
export interface Index {
  key: "string" | "number" | (string | number)[];
  type: number;
}

/** Types that refer to each other. */
export class Graph {
  readonly nodes: Node[] = [];
  /** Types that require more than their value in TypeScript: with a brand, an enum member, or with a symbol key. */
  readonly nominal: Set<number> = new Set();

  /** Adds a type. */
  add(node: Node): number {
    return this.nodes.push(node) - 1;
  }

  /** Reserves a node for a type that others refer to before its content is known. */
  reserve(): number {
    return this.add({ kind: "same", as: -1 });
  }

  /** Returns the type with the given index, with names resolved. */
  get(id: number): Node {
    const node = this.nodes[this.resolve(id)];
    if (node === undefined) throw new Error(`there is no node ${id}`);
    return node;
  }

  /** Returns the index with names resolved. */
  resolve(id: number): number {
    for (let current = id, steps = 0; steps < 1_000; steps++) {
      const node = this.nodes[current];
      if (node?.kind !== "same") return current;
      current = node.as;
    }
    throw new Error(`node ${id} names itself`);
  }

  /** Adds `boolean`, which is a union in TypeScript. */
  boolean(): number {
    const members = ["true", "false"].map((value) => this.add({ kind: "literal", value }));
    return this.add({ kind: "union", members });
  }

  /** Returns the members of a union, flattened and with names resolved; the type itself if it is not a union. */
  members(id: number): number[] {
    const found = new Set<number>();
    const seen = new Set<number>();
    const visit = (member: number): void => {
      const at = this.resolve(member);
      if (seen.has(at)) return;
      seen.add(at);
      const node = this.get(at);
      if (node.kind === "union") node.members.forEach(visit);
      else found.add(at);
    };
    visit(id);
    return [...found];
  }

  /** Returns true if a literal or template is redundant in a union because another member, a branded primitive, includes it. */
  absorbs(members: readonly number[], id: number): boolean {
    // A type that is still being read is not a primitive.
    const node = this.nodes[this.resolve(id)];
    if (node?.kind !== "literal" && node?.kind !== "template") return false;
    const kind = node.kind === "template" || node.value.startsWith('"') ? "string" : scalarOf(node.value);
    return members.some((member) => this.nominal.has(this.resolve(member)) && this.get(member).kind === kind);
  }

  /** Returns the types directly inside of a type. */
  children(id: number): number[] {
    const node = this.get(id);
    switch (node.kind) {
      case "array":
        return [node.element];
      case "tuple":
        return node.elements.map((element) => element.type);
      case "object":
        return [...node.properties, ...node.index].map((part) => part.type);
      case "union":
        return this.members(id);
      case "template":
        return node.parts.filter((part) => typeof part === "number");
      default:
        return [];
    }
  }

  /** Returns every type reachable from a type, with the type itself first. */
  reachable(id: number): number[] {
    const seen = new Set([this.resolve(id)]);
    for (const at of seen) for (const child of this.children(at)) seen.add(this.resolve(child));
    return [...seen];
  }
}

function scalarOf(literal: string): Scalar | undefined {
  if (literal === "true" || literal === "false") return undefined;
  return literal.endsWith("n") ? "bigint" : "number";
}
