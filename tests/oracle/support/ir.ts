// Reads the output of `print_ir`, and converts the types of kit's IR to a graph.

import type { Graph, Index, Node } from "./graph.ts";

/** Document that `crates/kit-build/examples/print_ir.rs` prints. */
export interface IrDocument {
  /** IR of the program, printed as TypeScript, for reports. */
  text: string;
  program: Program;
  /** Errors and warnings of the build. */
  diagnostics: Diagnostic[];
  /** Types that kit has refused, with the reasons. */
  refused: (Exported & { diagnostics: Diagnostic[] })[];
}

/** File and name of an exported type. */
export interface Exported {
  file: string;
  name: string;
}

/** Error or warning of the build. */
export interface Diagnostic {
  code: string;
  error: boolean;
  message: string;
  place: string;
}

/** Types in kit's IR; see `crates/kit-ir`. */
export interface Program {
  sources: { path: string }[];
  types: IrType[];
  declarations: {
    name: string;
    type: number;
    origin: { origin: "named"; export: string } | { origin: "instance" | "slot" };
    span: { source: number };
  }[];
}

type IrType =
  | {
      kind: "unknown" | "never" | "null" | "number" | "string" | "date" | "bytes" | "bigInt" | "boolean";
    }
  | { kind: "literal"; value: { type: "string" | "number" | "boolean" | "bigInt"; value: unknown } }
  | { kind: "template"; parts: TemplatePart[] }
  | { kind: "array"; element: number }
  | { kind: "tuple"; elements: { type: number; optional: boolean; rest: boolean }[] }
  | {
      kind: "object";
      properties: { name: string; type: number; optional: boolean }[];
      index?: {
        key: { kind: "string" | "number" } | { kind: "template"; parts: TemplatePart[] };
        value: number;
      }[];
    }
  | { kind: "union"; members: number[] }
  | { kind: "reference"; declaration: number };

type TemplatePart = { part: "text"; value: string } | { part: "hole"; value: number };

/** Type of the IR that was declared for an exported type. */
export interface Declared {
  /** Name of the type in artifacts. */
  name: string;
  /** Index of the type in the graph. */
  type: number;
}

/** Adds all exported types of a program to a graph. Returns them by file and name, such as `src/a.types.ts:A`. */
export function readProgram(program: Program, graph: Graph): Map<string, Declared> {
  const ids = program.types.map(() => graph.reserve());
  const of = (type: number): number => {
    const id = ids[type];
    if (id === undefined) throw new Error(`the IR has no type ${type}`);
    return id;
  };
  for (const [index, type] of program.types.entries())
    graph.nodes[of(index)] = { kind: "same", as: node(type, program, graph, of) };
  const found = new Map<string, Declared>();
  for (const { name, type, origin, span } of program.declarations) {
    const file = program.sources[span.source]?.path;
    if (origin.origin === "named") found.set(`${file}:${origin.export}`, { name, type: of(type) });
  }
  return found;
}

function node(type: IrType, program: Program, graph: Graph, of: (type: number) => number): number {
  const parts = (list: readonly TemplatePart[]): (string | number)[] =>
    list.map((part) => (part.part === "text" ? part.value : of(part.value)));
  const made = (): Node => {
    switch (type.kind) {
      case "bigInt":
        return { kind: "bigint" };
      case "literal":
        return { kind: "literal", value: literal(type.value) };
      case "template":
        return { kind: "template", parts: parts(type.parts) };
      case "array":
        return { kind: "array", element: of(type.element) };
      case "tuple":
        return {
          kind: "tuple",
          elements: type.elements.map(({ type: element, optional, rest }) => ({
            type: of(element),
            optional,
            rest,
          })),
        };
      case "object": {
        const index = (type.index ?? []).map(({ key, value }): Index => ({
          key: key.kind === "template" ? parts(key.parts) : key.kind,
          type: of(value),
        }));
        const properties = type.properties.map(({ name, type: value, optional }) => ({
          name,
          type: of(value),
          optional,
        }));
        return { kind: "object", properties, index };
      }
      case "union":
        // kit expresses `{}` as this union. The checker reports it as an object without properties.
        if (isAnythingButNull(type.members, program)) return { kind: "object", properties: [], index: [] };
        return { kind: "union", members: type.members.map(of) };
      case "reference": {
        const declaration = program.declarations[type.declaration];
        if (declaration === undefined) throw new Error(`the IR has no declaration ${type.declaration}`);
        return { kind: "same", as: of(declaration.type) };
      }
      case "boolean":
        return graph.nodes[graph.boolean()] as Node;
      default:
        return { kind: type.kind };
    }
  };
  return graph.add(made());
}

/** Returns true if the members of a union are a string, a number, a boolean, any array and any object. */
function isAnythingButNull(members: readonly number[], program: Program): boolean {
  const kinds = members.map((member) => {
    const type = program.types[member];
    if (type?.kind === "array") return `array of ${program.types[type.element]?.kind}`;
    if (type?.kind !== "object") return type?.kind;
    const [index, ...others] = type.index ?? [];
    const plain = type.properties.length === 0 && others.length === 0 && index?.key.kind === "string";
    return plain ? `object of ${program.types[index.value]?.kind}` : "object";
  });
  return kinds.join() === "string,number,boolean,array of unknown,object of unknown";
}

function literal({ type, value }: { type: string; value: unknown }): string {
  if (type === "string") return JSON.stringify(value);
  return type === "bigInt" ? `${String(value)}n` : String(value);
}
