// Types as a graph, in the one form that TypeScript's types and kit's IR are both brought into.
//
// What TypeScript distinguishes and kit does not is settled here: names of types, the order of members of a union and of
// properties, `readonly`, labels, and whether `boolean` is a type or the union of two literals.

/** A type; other types by their index in the graph. */
export type Node =
  | { kind: Scalar }
  /** `value` as TypeScript writes it: `"a"`, `1`, `true`, `1n`. */
  | { kind: "literal"; value: string }
  | { kind: "template"; parts: (string | number)[] }
  | { kind: "array"; element: number }
  | { kind: "tuple"; elements: Element[] }
  | { kind: "object"; properties: Property[]; index: Index[] }
  | { kind: "union"; members: number[] }
  /** What has no form in kit's IR: a function, `any`, a class of the runtime. */
  | { kind: "other"; text: string }
  /** A name whose type is not known yet: only while a graph is being made. */
  | { kind: "same"; as: number };

/** The kinds that need no more words. */
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

/** A property. An explicit `undefined` in its type is the same as `?`. */
export interface Property {
  name: string;
  type: number;
  optional: boolean;
  /** It must be written, though it may be `undefined`: kit knows no such thing, but values that are checked have to. */
  written?: boolean;
}

/** An element of a tuple. */
export interface Element {
  type: number;
  optional: boolean;
  rest: boolean;
}

/** An index signature: `string`, `number`, or the parts of a template. */
export interface Index {
  key: "string" | "number" | (string | number)[];
  type: number;
}

/** Types that refer to each other. */
export class Graph {
  readonly nodes: Node[] = [];
  /** Types that are more than their value in TypeScript: with a brand, a member of an enum, with a symbol as a key. */
  readonly nominal: Set<number> = new Set();

  /** Adds a type. */
  add(node: Node): number {
    return this.nodes.push(node) - 1;
  }

  /** A place for a type that others refer to before it is known. */
  reserve(): number {
    return this.add({ kind: "same", as: -1 });
  }

  /** The type of a number, behind names. */
  get(id: number): Node {
    const node = this.nodes[this.resolve(id)];
    if (node === undefined) throw new Error(`there is no node ${id}`);
    return node;
  }

  /** The number behind names. */
  resolve(id: number): number {
    for (let current = id, steps = 0; steps < 1_000; steps++) {
      const node = this.nodes[current];
      if (node?.kind !== "same") return current;
      current = node.as;
    }
    throw new Error(`node ${id} names itself`);
  }

  /** `boolean`, which TypeScript has as a union. */
  boolean(): number {
    const members = ["true", "false"].map((value) => this.add({ kind: "literal", value }));
    return this.add({ kind: "union", members });
  }

  /** The members of a union, flat and behind names; the type itself where it is none. */
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

  /** Whether a literal or a template among members says nothing that another member, a branded primitive, does not say. */
  absorbs(members: readonly number[], id: number): boolean {
    // A type that is still being read is no primitive.
    const node = this.nodes[this.resolve(id)];
    if (node?.kind !== "literal" && node?.kind !== "template") return false;
    const kind = node.kind === "template" || node.value.startsWith('"') ? "string" : scalarOf(node.value);
    return members.some((member) => this.nominal.has(this.resolve(member)) && this.get(member).kind === kind);
  }

  /** The types directly inside of one. */
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

  /** Every type reachable from one, itself first. */
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
