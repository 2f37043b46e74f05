// Generates TypeScript whose types compilers often get wrong: `new` with inferred type arguments, `{}`, classes with private members,
// intersections of utility types, and templates with adjacent holes.

import type { Random } from "./values.ts";

/** Names of the keys in generated objects. */
const KEYS = ["a", "b", "c", "id", "kind"] as const;
const TOPS = ["{}", "NonNullable<unknown>"] as const;
const HOLES = ["${number}", "${string}", "${bigint}", "${boolean}", '${"x" | "y"}', "${1 | -2}"] as const;
const LETTERS = ["-", ".", "e", "1", "0", "x", "", "--", "+", " ", "n", "true"] as const;

/** Declarations that generated types use. */
const PRELUDE = `class Box<T> {
  value: T;
  constructor(value: T) { this.value = value; }
}
class Pair<A, B = A> {
  first: A;
  second: B | undefined;
  constructor(first: A, second?: B) { this.first = first; this.second = second; }
}
class Hidden<T> {
  id: T;
  private secret: T;
  constructor(id: T) { this.id = id; this.secret = id; }
  peek(): T { return this.secret; }
}
type Is<A, B> = [A] extends [B] ? "yes" : "no";
`;

/** Returns the text of a file with types that are called `T` and a number from `first`. */
export function randomFile(random: Random, first: number, count: number): string {
  let text = PRELUDE;
  for (let index = first; index < first + count; index += 1) {
    const write = random.pick([inferred, top, privateMembers, utilities, template]);
    const { before = "", type } = write(random, index);
    text += `${before}export type T${index} = ${type};\n`;
  }
  return text;
}

/** Right side of a type declaration, and declarations that must precede it. */
interface Written {
  readonly before?: string;
  readonly type: string;
}

/** `new` whose type arguments TypeScript infers from the arguments. */
function inferred(random: Random, index: number): Written {
  const name = `made${index}`;
  const kind = random.below(5);
  if (kind === 0) {
    const entries = list(random, 1 + random.below(3), () => `["${random.pick(KEYS)}", ${number(random)}]`);
    const type = random.pick(["Map<string, number>", "Map<string, string>", "Map<number, number>"]);
    return {
      before: `const ${name} = new Map([${entries}]);\n`,
      type: `typeof ${name} extends ${type} ? "yes" : "no"`,
    };
  }
  if (kind === 1) {
    const element = random.pick([number, text]);
    const items = list(random, 1 + random.below(3), () => element(random));
    const type = random.pick(["Set<number>", "Set<string>", "ReadonlySet<number>", "Set<unknown>"]);
    return {
      before: `const ${name} = new Set([${items}]);\n`,
      type: `typeof ${name} extends ${type} ? "yes" : "no"`,
    };
  }
  if (kind === 2) {
    const [left, right] = [expression(random, 1), expression(random, 1)];
    const both = random.chance(60) ? `${left}, ${right}` : left;
    const read = random.pick(['["first"]', '["first"]', ""]);
    const type =
      read === ""
        ? `Is<typeof ${name}, Pair<${simple(random, 1)}, ${simple(random, 1)}>>`
        : `(typeof ${name})${read}`;
    return { before: `const ${name} = new Pair(${both});\n`, type };
  }
  const before = `const ${name} = new Box(${expression(random, 0)});\n`;
  return random.chance(60)
    ? { before, type: `(typeof ${name})["value"]` }
    : { before, type: `Is<typeof ${name}, Box<${simple(random, 1)}>>` };
}

/** `{}` and `NonNullable<unknown>`, which include all values except `null` and `undefined`. */
function top(random: Random): Written {
  const any = random.pick(TOPS);
  const type = simple(random, 0);
  return {
    type: random.pick([
      `Is<${type}, ${any}>`,
      `Is<${any}, ${type}>`,
      `(${type}) & ${any}`,
      `${any} & (${type})`,
      `{ a: ${any}; b?: ${type} }`,
      `Record<string, ${any}>`,
      `${any}[]`,
      `NonNullable<${type} | null>`,
      `Exclude<${type} | null, null> & ${any}`,
      `{ [K in "a" | "b"]: K extends ${any} ? ${type} : null }`,
    ]),
  };
}

/** Types that are derived from a class with private, protected and public members. */
function privateMembers(random: Random, index: number): Written {
  const name = `Class${index}`;
  const hidden = `hidden${random.below(3)}`;
  const members = KEYS.filter(() => random.chance(60)).map(
    (key) => `  ${key}${random.chance(30) ? "?" : ""}: ${simple(random, 1)};\n`,
  );
  const secret = random.pick([
    `  private ${hidden}?: string;\n`,
    `  protected ${hidden}?: number;\n`,
    `  #${hidden};\n`,
    `  private readonly ${hidden}?: 1;\n  protected other?: string;\n`,
  ]);
  const base = random.chance(30) ? " extends Hidden<string>" : "";
  // An inherited key would need the type of the base class.
  const own = base === "" ? members : members.filter((member) => !/^ {2}id\b/.test(member));
  const before = `declare class ${name}${base} {\n${[...own, secret].join("")}}\n`;
  const key = random.pick(KEYS);
  return {
    before,
    type: random.pick([
      `Exclude<keyof ${name}, "peek"> | "none"`,
      `Pick<${name}, Extract<keyof ${name}, "${key}">>`,
      `Omit<${name}, "${key}" | "peek">`,
      `Partial<Omit<${name}, "peek">>`,
      `{ [K in Exclude<keyof ${name}, "peek">]-?: K }`,
      `Is<${name}, { ${key}: unknown }>`,
      `Is<"${hidden}", keyof ${name}>`,
      `Is<${name}, { ${hidden}?: unknown }>`,
    ]),
  };
}

/** Intersections of utility types over one interface. */
function utilities(random: Random, index: number): Written {
  const name = `Base${index}`;
  const properties = KEYS.map(
    (key) =>
      `${random.chance(20) ? "readonly " : ""}${key}${random.chance(50) ? "?" : ""}: ${simple(random, 1)}`,
  );
  const part = (): string => derived(random, name, 2);
  return {
    before: `interface ${name} { ${properties.join("; ")} }\n`,
    type: random.pick([
      () => part(),
      () => `${part()} & ${part()}`,
      () => `${part()} & ${part()} & { extra: ${simple(random, 1)} }`,
      () => `{ [K in keyof (${part()} & ${part()})]: K }`,
      () => `(${part()} | ${part()}) & ${part()}`,
    ])(),
  };
}

function derived(random: Random, of: string, depth: number): string {
  const keys = (): string =>
    [...new Set(list(random, 1 + random.below(3), () => `"${random.pick(KEYS)}"`).split(", "))].join(" | ");
  const inner = depth === 0 || random.chance(40) ? of : derived(random, of, depth - 1);
  switch (random.below(6)) {
    case 0:
      return `Partial<${inner}>`;
    case 1:
      return `Required<${inner}>`;
    case 2:
      return `Readonly<${inner}>`;
    case 3:
      return `Omit<${inner}, ${keys()}>`;
    default:
      // A key that the inner type has lost would be an error.
      return `Pick<${inner}, Extract<keyof ${inner}, ${keys()}>>`;
  }
}

/** Templates whose holes follow each other, or have text between them that a hole may contain. */
function template(random: Random): Written {
  const parts = Array.from({ length: 1 + random.below(3) }, () => random.pick(LETTERS) + random.pick(HOLES));
  const whole = `\`${parts.join("")}${random.pick(LETTERS)}\``;
  return {
    type: random.pick([
      whole,
      whole,
      `${whole} | "${random.pick(LETTERS)}"`,
      `Record<${whole}, number>`,
      `Is<"1-2", ${whole}>`,
      `Extract<"-1-2" | "1.5" | "1e3" | "true" | "x", ${whole}> | "none"`,
      `[${whole}, ${whole}?]`,
    ]),
  };
}

/** Returns a type that is written without names. */
function simple(random: Random, depth: number): string {
  const leaves = ["string", "number", "boolean", "null", '"a"', "1", "true", "unknown", "-1.5"];
  if (depth > 1 || random.chance(45)) return random.pick(leaves);
  const inner = (): string => simple(random, depth + 1);
  return random.pick([
    () => `(${inner()})[]`,
    () => `{ a: ${inner()}; b?: ${inner()} }`,
    () => `(${inner()} | ${inner()})`,
    () => `[${inner()}, (${inner()})?]`,
    () => `Record<string, ${inner()}>`,
    () => random.pick(TOPS),
    () => `\`${random.pick(LETTERS)}${random.pick(HOLES)}\``,
  ])();
}

/** Returns an expression of a constant. */
function expression(random: Random, depth: number): string {
  if (depth > 1 || random.chance(40)) return random.pick([number, text, () => "true", () => "null"])(random);
  const inner = (): string => expression(random, depth + 1);
  return random.pick([
    () => `[${inner()}, ${inner()}]`,
    () => `[${inner()}, ${inner()}] as const`,
    () => `{ a: ${inner()}, b: ${inner()} }`,
    () => `{ a: ${inner()} } as const`,
    () => `new Box(${inner()}).value`,
    () => `"${random.pick(KEYS)}" as const`,
  ])();
}

const number = (random: Random): string => random.pick(["1", "-2", "1.5", "0"]);
const text = (random: Random): string => `"${random.pick(KEYS)}"`;

function list(random: Random, length: number, write: () => string): string {
  return Array.from({ length }, write).join(", ");
}
