// Graph of types: a common form for TypeScript's types and kit's IR.
//
// The graph leaves out what TypeScript distinguishes and kit does not: names of types, the order of union members and of
// properties, `readonly`, labels, and whether `boolean` is a type of its own or the union of two literals.

/** Type in the graph, which refers to other types by their index. */
export type Node =
  | { kind: Scalar }
  /** Literal type. `value` is in TypeScript's notation: `"a"`, `1`, `true`, `1n`. */
  | { kind: "literal"; value: string }
  | { kind: "template"; parts: (string | number)[] }
  | { kind: "array"; element: number }
  | { kind: "tuple"; elements: Element[] }
  | { kind: "object"; properties: Property[]; index: Index[] }
  | { kind: "union"; members: number[] }
  /** Type that kit's IR cannot express: a function, `any`, or a class of the runtime. */
  | { kind: "other"; text: string }
  /** Other name of a type, or a reserved node. Nodes are reserved only while the graph is built. */
  | { kind: "same"; as: number };

/** Kinds of types that need no further data. */
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

/** Property of an object type. An explicit `undefined` in its type means the same as `?`. */
export interface Property {
  name: string;
  type: number;
  optional: boolean;
  /**
   * True if the property must be present although it may be `undefined`. kit does not distinguish this, but TypeScript requires it in
   * values.
   */
  written?: boolean;
}

/** Element of a tuple type. */
export interface Element {
  type: number;
  optional: boolean;
  rest: boolean;
}

/** Index signature. Its key is `string`, `number`, or the segments of a template literal type. */
export interface Index {
  key: "string" | "number" | (string | number)[];
  type: number;
}

/** Set of types that refer to each other by index. */
export class Graph {
  readonly nodes: Node[] = [];
  /** Types for which TypeScript requires more than the value: branded types, enum members, and types with a symbol key. */
  readonly nominal: Set<number> = new Set();

  /** Adds a type. Returns its index. */
  add(node: Node): number {
    return this.nodes.push(node) - 1;
  }

  /** Reserves an index for a type that others refer to before its content is known. */
  reserve(): number {
    return this.add({ kind: "same", as: -1 });
  }

  /** Returns the type with this index. Follows names to the type that they stand for. */
  get(id: number): Node {
    const node = this.nodes[this.resolve(id)];
    if (node === undefined) throw new Error(`there is no node ${id}`);
    return node;
  }

  /** Returns the index of the type that a name stands for. */
  resolve(id: number): number {
    for (let current = id, steps = 0; steps < 1_000; steps++) {
      const node = this.nodes[current];
      if (node?.kind !== "same") return current;
      current = node.as;
    }
    throw new Error(`node ${id} names itself`);
  }

  /** Adds the type `boolean`, which TypeScript treats as a union. */
  boolean(): number {
    const members = ["true", "false"].map((value) => this.add({ kind: "literal", value }));
    return this.add({ kind: "union", members });
  }

  /** Returns the indexes of a union's members. Nested unions are flattened. Returns the type itself if it is not a union. */
  members(id: number): number[] {
    const found = new Set<number>();
    const visited = new Set<number>();
    const visit = (member: number): void => {
      const at = this.resolve(member);
      if (visited.has(at)) return;
      visited.add(at);
      const node = this.get(at);
      if (node.kind === "union") node.members.forEach(visit);
      else found.add(at);
    };
    visit(id);
    return [...found];
  }

  /** Returns true if a literal or template is redundant in a union, because another member is a branded primitive type that includes it. */
  absorbs(members: readonly number[], id: number): boolean {
    // A type that has only been reserved so far is not a primitive type.
    const node = this.nodes[this.resolve(id)];
    if (node?.kind !== "literal" && node?.kind !== "template") return false;
    const kind = node.kind === "template" || node.value.startsWith('"') ? "string" : scalarOf(node.value);
    return members.some((member) => this.nominal.has(this.resolve(member)) && this.get(member).kind === kind);
  }

  /** Returns the types that a type refers to directly. */
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

  /** Returns all types that a type refers to, also through others. The first one is the type itself. */
  reachable(id: number): number[] {
    const reachable = new Set([this.resolve(id)]);
    for (const at of reachable) for (const child of this.children(at)) reachable.add(this.resolve(child));
    return [...reachable];
  }
}

function scalarOf(literal: string): Scalar | undefined {
  if (literal === "true" || literal === "false") return undefined;
  return literal.endsWith("n") ? "bigint" : "number";
}
