// Type checker of TypeScript for the fixtures. Converts its types to a graph.

import { join } from "node:path";
import ts from "typescript";
import type { Element, Graph, Index, Property } from "./graph.ts";

/** Maximum number of types within one type. More mean that the expansion never ends. */
const MOST_TYPES = 20_000;

/** Program of TypeScript files. Each source is parsed once for all programs of a run. */
export class Checker {
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  readonly #root: string;

  private constructor(root: string, program: ts.Program) {
    this.#root = root;
    this.program = program;
    this.checker = program.getTypeChecker();
  }

  /** Reads the project in a directory. `extra` contains the contents of files that are not on the disk, by relative path. */
  static of(root: string, extra: ReadonlyMap<string, string> = new Map(), before?: Checker): Checker {
    const config = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
    const parsed = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
    const host = ts.createCompilerHost(parsed.options);
    const texts = new Map([...extra].map(([path, text]) => [join(root, path), text]));
    const { getSourceFile, fileExists, readFile } = host;
    host.fileExists = (path) => texts.has(path) || fileExists(path);
    host.readFile = (path) => texts.get(path) ?? readFile(path);
    host.getSourceFile = (path, options, onError, anew) => {
      const known = texts.get(path);
      if (known !== undefined) return ts.createSourceFile(path, known, options, true);
      return before?.program.getSourceFile(path) ?? getSourceFile(path, options, onError, anew);
    };
    const rootNames = [...parsed.fileNames, ...texts.keys()];
    return new Checker(root, ts.createProgram({ rootNames, options: parsed.options, host }));
  }

  /** Returns the errors that TypeScript reports for the files. */
  problems(): string[] {
    return ts
      .getPreEmitDiagnostics(this.program)
      .map((diagnostic) => ts.formatDiagnostic(diagnostic, ts.createCompilerHost({})).trim());
  }

  /** Returns the names of a file's exported types without type parameters, in the order of the source. */
  exported(path: string): string[] {
    const file = this.#file(path);
    return file.statements
      .filter(
        (statement) =>
          ts.isInterfaceDeclaration(statement) ||
          ts.isTypeAliasDeclaration(statement) ||
          ts.isEnumDeclaration(statement) ||
          ts.isClassDeclaration(statement),
      )
      .filter((statement) =>
        ts.getModifiers(statement)?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword),
      )
      .filter((statement) => ts.isEnumDeclaration(statement) || statement.typeParameters === undefined)
      .map((statement) => statement.name?.text ?? "default")
      .filter((name, index, all) => all.indexOf(name) === index);
  }

  /** Returns the comment lines directly above the declaration of a type. */
  comment(path: string, name: string): string {
    const file = this.#file(path);
    const declaration = this.#symbol(path, name).declarations?.[0];
    const ranges =
      declaration === undefined ? [] : (ts.getLeadingCommentRanges(file.text, declaration.pos) ?? []);
    return ranges.map((range) => file.text.slice(range.pos, range.end)).join("\n");
  }

  /** Returns the exported type of that name. */
  type(path: string, name: string): ts.Type {
    return this.checker.getDeclaredTypeOfSymbol(this.#symbol(path, name));
  }

  #symbol(path: string, name: string): ts.Symbol {
    const module = this.checker.getSymbolAtLocation(this.#file(path));
    const found = module?.exports?.get(ts.escapeLeadingUnderscores(name));
    if (found === undefined) throw new Error(`${path} does not export ${name}`);
    return found;
  }

  #file(path: string): ts.SourceFile {
    const file = this.program.getSourceFile(join(this.#root, path));
    if (file === undefined) throw new Error(`${path} is not in the program`);
    return file;
  }
}

/** Converts types of the checker to types of a graph. */
export class Reader {
  readonly #checker: ts.TypeChecker;
  readonly #graph: Graph;
  readonly #known = new Map<ts.Type, number>();
  readonly #any: "other" | "unknown";

  /**
   * @param any - Kind of `any`. kit refuses `any` in the project, and reads `any` of packages as `unknown`. Default: a type that kit
   *   refuses.
   */
  constructor(checker: ts.TypeChecker, graph: Graph, any: "other" | "unknown" = "other") {
    this.#checker = checker;
    this.#graph = graph;
    this.#any = any;
  }

  /** Adds a type to the graph. Returns its index. */
  read(type: ts.Type): number {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    if (this.#known.size > MOST_TYPES) throw new Error("this type expands without end");
    const id = this.#graph.reserve();
    this.#known.set(type, id);
    this.#graph.nodes[id] = { kind: "same", as: this.#node(type) };
    return id;
  }

  /** Returns true for an intersection that has no values, such as `{ kind: "a" } & { kind: "b" }`. The checker detects that late. */
  #empty(type: ts.Type): boolean {
    return type.isIntersection() && this.#checker.isTypeAssignableTo(type, this.#checker.getNeverType());
  }

  #node(type: ts.Type): number {
    const graph = this.#graph;
    const { flags } = type;
    if (flags & ts.TypeFlags.Any && this.#any === "unknown") return graph.add({ kind: "unknown" });
    const scalar = SCALARS.find(([flag]) => (flags & flag) !== 0);
    if (scalar !== undefined) return graph.add({ kind: scalar[1] });
    if (flags & ts.TypeFlags.Boolean) return graph.boolean();
    if (type.isUnion()) return this.#union(type.types);
    if (flags & ts.TypeFlags.EnumLike) {
      // An enum member that is computed has no literal value.
      const id = flags & ts.TypeFlags.Literal ? this.#literal(type) : graph.add({ kind: "number" });
      graph.nominal.add(id);
      return id;
    }
    if (flags & ts.TypeFlags.Literal) return this.#literal(type);
    if (flags & ts.TypeFlags.TemplateLiteral) {
      const { texts, types } = type as ts.TemplateLiteralType;
      return graph.add({ kind: "template", parts: this.#parts(texts, types) });
    }
    if (this.#empty(type)) return this.#graph.add({ kind: "never" });
    if (type.isIntersection()) {
      // The intersection is a branded type. Its members other than the primitive type do not describe the
      // value.
      const primitives = type.types.filter((member) => (member.flags & ts.TypeFlags.Object) === 0);
      const [primitive] = primitives;
      if (primitives.length === 1 && primitive !== undefined) {
        const id = this.#node(primitive);
        graph.nominal.add(id);
        return id;
      }
      if (primitives.length > 1) return this.#other(type);
      // A list has no members besides its items in JSON, so the other members of the intersection are a brand too.
      const lists = type.types.filter(
        (member) => this.#checker.isArrayType(member) || this.#checker.isTupleType(member),
      );
      const [list] = lists;
      if (lists.length === 1 && list !== undefined) {
        const id = this.#node(list);
        graph.nominal.add(id);
        return id;
      }
      return this.#object(type);
    }
    if (flags & ts.TypeFlags.Object) return this.#object(type);
    return this.#other(type);
  }

  #union(types: readonly ts.Type[]): number {
    const all = types.filter((member) => !this.#empty(member)).map((member) => this.read(member));
    // TypeScript keeps `"a"
    //  (string & {})` for suggestions in editors. Without the brand, the string type includes the literal.
    const members = all.filter((member) => !this.#graph.absorbs(all, member));
    const [first] = members;
    if (first === undefined) return this.#graph.add({ kind: "never" });
    return members.length === 1 ? first : this.#graph.add({ kind: "union", members });
  }

  #parts(texts: readonly string[], types: readonly ts.Type[]): (string | number)[] {
    const parts = texts.flatMap((fixed, index): (string | number)[] => {
      const hole = types[index];
      return hole === undefined ? [fixed] : [fixed, this.read(hole)];
    });
    return parts.filter((part) => part !== "");
  }

  #literal(type: ts.Type): number {
    if (type.isStringLiteral()) return this.#value(JSON.stringify(type.value));
    if (type.isNumberLiteral()) return this.#value(String(type.value));
    if (type.flags & ts.TypeFlags.BigIntLiteral) {
      const { negative, base10Value } = (type as ts.BigIntLiteralType).value;
      return this.#value(`${negative ? "-" : ""}${base10Value}n`);
    }
    if (type.flags & ts.TypeFlags.BooleanLiteral) return this.#value(this.#checker.typeToString(type));
    return this.#other(type);
  }

  #value(value: string): number {
    return this.#graph.add({ kind: "literal", value });
  }

  #other(type: ts.Type): number {
    return this.#graph.add({
      kind: "other",
      text: this.#checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation),
    });
  }

  #object(type: ts.Type): number {
    const checker = this.#checker;
    if (checker.isTupleType(type)) return this.#tuple(type as ts.TupleTypeReference);
    if (checker.isArrayType(type)) {
      const [element] = checker.getTypeArguments(type as ts.TypeReference);
      return element === undefined
        ? this.#other(type)
        : this.#graph.add({ kind: "array", element: this.read(element) });
    }
    const lib = this.#nameInLibrary(type);
    if (lib === "Date") return this.#graph.add({ kind: "date" });
    if (lib === "Uint8Array") return this.#graph.add({ kind: "bytes" });
    const primitive = lib === undefined ? undefined : WRAPPERS.get(lib);
    // The wire form of an object of the class `String` is a string.
    if (primitive !== undefined)
      return primitive === "boolean" ? this.#graph.boolean() : this.#graph.add({ kind: primitive });
    if (lib !== undefined) return this.#other(type);
    const item = this.#extendedItem(type);
    if (item !== undefined) return this.#graph.add({ kind: "array", element: this.read(item) });
    const mapped = this.#mappedLibrary(type);
    if (mapped !== undefined) {
      const id = this.#graph.add({ kind: mapped });
      this.#graph.nominal.add(id);
      return id;
    }
    const method = type.getProperty("toJSON");
    const [toJson] =
      method === undefined
        ? []
        : checker.getSignaturesOfType(checker.getTypeOfSymbol(method), ts.SignatureKind.Call);
    if (toJson !== undefined) {
      // In JSON, the object is the result of its method (decision 0194).
      const id = this.#node(checker.getReturnTypeOfSignature(toJson));
      this.#graph.nominal.add(id);
      return id;
    }
    const calls =
      checker.getSignaturesOfType(type, ts.SignatureKind.Call).length +
      checker.getSignaturesOfType(type, ts.SignatureKind.Construct).length;
    if (calls > 0) return this.#other(type);
    const all = checker.getPropertiesOfType(type);
    const named = all.filter(({ name }) => !name.startsWith("__@") && !name.startsWith("__#"));
    const properties = named.map((property): Property => {
      const { id, hadUndefined } = this.#withoutUndefined(checker.getTypeOfSymbol(property));
      const marked = (property.flags & ts.SymbolFlags.Optional) !== 0;
      return {
        name: ts.unescapeLeadingUnderscores(property.escapedName),
        type: id,
        optional: marked || hadUndefined,
        written: hadUndefined && !marked,
      };
    });
    const infos = checker.getIndexInfosOfType(type);
    // A number key is a string too, so its signature is redundant if that of strings has the same type.
    const text = infos.find((info) => info.keyType.flags & ts.TypeFlags.String)?.type;
    const said = infos.filter((info) => !(info.keyType.flags & ts.TypeFlags.Number && info.type === text));
    const index = said.flatMap((info): Index[] => {
      const key = this.#indexKey(info.keyType);
      return key === undefined ? [] : [{ key, type: this.#withoutUndefined(info.type).id }];
    });
    const id = this.#graph.add({ kind: "object", properties, index });
    // A symbol is never on the wire, but assignability requires the property.
    if (named.length < all.length) this.#graph.nominal.add(id);
    return id;
  }

  /** Returns the kind of an index signature's key. Returns `undefined` for symbols, which JSON does not have. */
  #indexKey(type: ts.Type): Index["key"] | undefined {
    if (type.flags & ts.TypeFlags.String) return "string";
    if (type.flags & ts.TypeFlags.Number) return "number";
    if (type.flags & ts.TypeFlags.TemplateLiteral) {
      const { texts, types } = type as ts.TemplateLiteralType;
      return this.#parts(texts, types);
    }
    if (type.isIntersection()) {
      // The key is a branded type.
      const primitive = type.types.find((member) => (member.flags & ts.TypeFlags.Object) === 0);
      return primitive === undefined ? undefined : this.#indexKey(primitive);
    }
    return undefined;
  }

  #tuple(type: ts.TupleTypeReference): number {
    const elements = this.#checker.getTypeArguments(type).map((argument, index): Element => {
      const flags = type.target.elementFlags[index] ?? ts.ElementFlags.Required;
      const optional = (flags & ts.ElementFlags.Optional) !== 0;
      return {
        type: optional ? this.#withoutUndefined(argument).id : this.read(argument),
        optional,
        rest: (flags & ts.ElementFlags.Variable) !== 0,
      };
    });
    return this.#graph.add({ kind: "tuple", elements });
  }

  #withoutUndefined(type: ts.Type): { id: number; hadUndefined: boolean } {
    const absent = ts.TypeFlags.Undefined | ts.TypeFlags.Void;
    if (type.flags & absent) return { id: this.#graph.add({ kind: "never" }), hadUndefined: true };
    if (!type.isUnion()) return { id: this.read(type), hadUndefined: false };
    const rest = type.types.filter((member) => (member.flags & absent) === 0);
    if (rest.length === type.types.length) return { id: this.read(type), hadUndefined: false };
    return { id: this.#union(rest), hadUndefined: true };
  }

  /** Returns the type of the items if the type is an interface without members of its own that extends an array. */
  #extendedItem(type: ts.Type): ts.Type | undefined {
    const declarations = type.getSymbol()?.declarations ?? [];
    if (declarations.length === 0 || !declarations.every(isEmpty)) return undefined;
    const generic = (type as ts.TypeReference).target ?? (type as ts.InterfaceType);
    const [base, ...others] = this.#checker.getBaseTypes(generic);
    const extendsList = base !== undefined && others.length === 0 && this.#checker.isArrayType(base);
    return extendsList ? type.getNumberIndexType() : undefined;
  }

  /**
   * Returns the kind of a mapped type over `Date` or `Uint8Array` whose members these values have, as in `DeepPartial<Date>`. On the wire,
   * only these values have the methods (decision 0181).
   */
  #mappedLibrary(type: ts.Type): "date" | "bytes" | undefined {
    if (((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Mapped) === 0) return undefined;
    for (const [name, member, kind] of [
      ["Date", "toISOString", "date"],
      ["Uint8Array", "BYTES_PER_ELEMENT", "bytes"],
    ] as const) {
      if (type.getProperty(member) === undefined) continue;
      const symbol = this.#library(name);
      const library = symbol === undefined ? undefined : this.#checker.getDeclaredTypeOfSymbol(symbol);
      if (library !== undefined && this.#checker.isTypeAssignableTo(library, type)) return kind;
    }
    return undefined;
  }

  #library(name: string): ts.Symbol | undefined {
    return this.#checker.resolveName(name, undefined, ts.SymbolFlags.Interface, false);
  }

  /** Returns the name of a type that TypeScript's own library declares, otherwise `undefined`. */
  #nameInLibrary(type: ts.Type): string | undefined {
    const symbol = type.getSymbol();
    const file = symbol?.declarations?.[0]?.getSourceFile();
    if (symbol === undefined || file === undefined || !file.hasNoDefaultLib) return undefined;
    // The library also declares mapped types such as `Partial`, but their results are object types without a
    // name.
    return symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class) ? symbol.name : undefined;
  }
}

/** Returns true for an interface without members of its own. */
function isEmpty(node: ts.Declaration): boolean {
  return ts.isInterfaceDeclaration(node) && node.members.length === 0;
}

/** Interfaces of objects that hold a primitive value. */
const WRAPPERS: ReadonlyMap<string, "string" | "number" | "boolean" | "bigint"> = new Map([
  ["String", "string"],
  ["Number", "number"],
  ["Boolean", "boolean"],
  ["BigInt", "bigint"],
]);

const SCALARS = [
  [ts.TypeFlags.Unknown, "unknown"],
  [ts.TypeFlags.Never, "never"],
  [ts.TypeFlags.Null, "null"],
  [ts.TypeFlags.Undefined | ts.TypeFlags.Void, "undefined"],
  [ts.TypeFlags.String, "string"],
  [ts.TypeFlags.Number, "number"],
  [ts.TypeFlags.BigInt, "bigint"],
] as const;
