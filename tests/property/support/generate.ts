// Generates random models of types.

import {
  type ChoicesModel,
  type EitherModel,
  type ListModel,
  type Model,
  type NumberModel,
  type ObjectModel,
  type PropertyModel,
  SPELLINGS,
  type Subject,
  type TemplateModel,
} from "./model.ts";
import type { Random } from "./random.ts";
import { FORMATS, NAMES, PATTERNS } from "./texts.ts";

const DEEPEST = 4;
const WORDS = ["red", "green", "blue", "a-b", "with space", "x'y", "", "é", "10", "true"];

/** Returns a random exported type with this name. */
export function generate(random: Random, name: string): Subject {
  return new Generator(random, name).subject();
}

class Generator {
  readonly #random: Random;
  readonly #name: string;
  readonly #named: Record<string, Model> = {};

  constructor(random: Random, name: string) {
    this.#random = random;
    this.#name = name;
  }

  subject(): Subject {
    const random = this.#random;
    if (random.chance(15)) this.#recursive();
    const model = random.chance(75) ? this.#object(0) : this.#any(0);
    // A recursive type is not exported directly, because it would only be another name for itself.
    return { name: this.#name, model, named: this.#named };
  }

  #any(depth: number): Model {
    const random = this.#random;
    const names = Object.keys(this.#named);
    if (names.length > 0 && random.chance(25)) return { kind: "named", name: random.pick(names) };
    if (depth >= DEEPEST || random.chance(45)) return this.#scalar();
    switch (random.below(6)) {
      case 0:
        return this.#list(depth);
      case 1:
        return this.#tuple(depth);
      case 2:
        return {
          kind: "dictionary",
          keys: random.pick(["string", "string", "number", "template", "ruled"]),
          value: this.#any(depth + 1),
        };
      case 3:
        return this.#either(depth);
      default:
        return this.#object(depth + 1);
    }
  }

  #scalar(): Model {
    const random = this.#random;
    switch (random.below(10)) {
      case 0:
      case 1:
        return { kind: "text", ...(random.chance(15) && { branded: true }) };
      case 2:
        return { kind: "number" };
      case 3:
        return { kind: random.pick(["boolean", "null", "unknown", "boolean"]) };
      case 4:
      case 5:
        return { kind: random.pick(["date", "bytes", "bigint"]) };
      case 6:
        return this.#template();
      case 7:
      case 8:
        return this.#choices();
      default:
        return { kind: "text" };
    }
  }

  #choices(): ChoicesModel {
    const random = this.#random;
    const spelling = random.pick([
      "union",
      "union",
      "enum",
      "constants",
      "keys",
      "exclude",
      "extract",
    ] as const);
    const words = random.several(WORDS, 1 + random.below(random.chance(15) ? 10 : 4));
    if (["keys", "exclude", "extract"].includes(spelling))
      return { kind: "choices", values: words, spelling };
    const numbers = random.several([0, 1, -7, 42, 1.5], 1 + random.below(3));
    if (spelling === "enum")
      return { kind: "choices", values: random.chance(60) ? words : numbers, spelling };
    const mixed = [...words, ...numbers, ...random.some([true], 30)];
    const values: ChoicesModel["values"] = random.chance(50) ? words : random.chance(50) ? numbers : mixed;
    if (spelling === "union" && random.chance(10)) return { kind: "choices", values: [10n, -3n], spelling };
    return { kind: "choices", values, spelling };
  }

  #template(): TemplateModel {
    const random = this.#random;
    const parts: TemplateModel["parts"][number][] = [];
    for (let count = 1 + random.below(3); count > 0; count--) {
      parts.push(random.pick(["v", "user-", "@", ".", "a.b", "1", "--", "é"]));
      parts.push({ hole: random.pick(["string", "string", "number", "bigint", "boolean"]) });
    }
    if (random.chance(30)) parts.shift();
    if (random.chance(40)) parts.push(random.pick(["z", "!", "0", "@"]));
    // `${string}` alone is not a template literal type.
    return { kind: "template", parts: parts.length > 1 ? parts : ["t", ...parts] };
  }

  #list(depth: number): ListModel {
    const spelling = this.#random.pick(["brackets", "generic", "readonly"] as const);
    return { kind: "list", element: this.#any(depth + 1), spelling };
  }

  #tuple(depth: number): Model {
    const random = this.#random;
    const several = (most: number): Model[] =>
      Array.from({ length: random.below(most + 1) }, () => this.#any(depth + 1));
    const rest = random.chance(35) ? this.#any(depth + 1) : undefined;
    const optional = random.chance(40) ? several(2) : [];
    // Elements may follow a rest element, but not if there are optional elements.
    const last = rest !== undefined && optional.length === 0 && random.chance(40) ? several(2) : [];
    return { kind: "tuple", first: several(2), optional, ...(rest !== undefined && { rest }), last };
  }

  #object(depth: number): ObjectModel {
    const random = this.#random;
    const properties = random
      // At least one property, because `{}` accepts every value except null.
      .several(NAMES, 1 + random.below(6))
      .map((name): PropertyModel => this.#property(name, depth));
    return { kind: "object", properties, spelling: random.pick(SPELLINGS) };
  }

  #property(name: string, depth: number): PropertyModel {
    const random = this.#random;
    const type = random.chance(35) ? this.#ruled(depth) : this.#any(depth + 1);
    if (random.chance(10)) {
      const fallbacks = { text: "~", number: 3, boolean: true } as const;
      const kind = random.pick(["text", "number", "boolean"] as const);
      return { name, type: { kind }, optional: false, fallback: fallbacks[kind] };
    }
    const nullable = type.kind !== "unknown" && type.kind !== "null" && random.chance(10);
    // `null` in addition to a union becomes a member of that union.
    const members = type.kind === "either" ? undefined : [type, { kind: "null" } as const];
    return {
      name,
      type: nullable && members !== undefined ? { kind: "either", members } : type,
      optional: random.chance(30),
    };
  }

  /** Generates a type that has rules. */
  #ruled(depth: number): Model {
    const random = this.#random;
    const least = random.below(4);
    const most = least + random.below(4);
    switch (random.below(7)) {
      case 0:
        return { kind: "text", least, most: Math.max(most, 1) };
      case 1:
        return { kind: "text", ...(random.chance(50) ? { least } : { most }) };
      case 2:
        return { kind: "text", pattern: random.pick(Object.keys(PATTERNS)) };
      case 3:
        return { kind: "text", format: random.pick(Object.keys(FORMATS)) };
      case 4:
        return {
          ...this.#list(depth),
          ...(random.chance(60) && { least }),
          ...(random.chance(60) && { most }),
        };
      case 5:
        // Without `${string}`, the template could become a union of literals, which cannot have rules.
        if (random.chance(40))
          return { kind: "template", parts: ["~", ...this.#template().parts, { hole: "string" }], most: 40 };
        return { kind: "list", element: { kind: "number" }, unique: true, spelling: "brackets" };
      default:
        return this.#ruledNumber(least, most);
    }
  }

  #ruledNumber(least: number, most: number): NumberModel {
    const random = this.#random;
    const low = random.chance(50) ? { minimum: least } : { above: least - 1 };
    const high = random.chance(50) ? { maximum: most } : { below: most + 1 };
    return {
      kind: "number",
      ...(random.chance(50) && { integer: true }),
      ...(random.chance(70) && low),
      ...(random.chance(70) && high),
      ...(random.chance(20) && { multiple: random.pick([0.5, 1]) }),
    };
  }

  #either(depth: number): EitherModel {
    switch (this.#random.below(3)) {
      case 0:
        return this.#tagged(depth);
      case 1:
        return this.#byKeys(depth);
      default:
        return this.#byKind(depth);
    }
  }

  /** Generates a union of object types that a tag property distinguishes. */
  #tagged(depth: number): EitherModel {
    const random = this.#random;
    const tag = random.pick(["kind", "type", "constructor", "is it"]);
    const names = NAMES.filter((name) => name !== tag);
    const tags = random.several<string | number | boolean>(["a", "b", "c", 1, 2, true], 2 + random.below(3));
    const shared = random.chance(40) ? random.several(names, 1 + random.below(2)) : [];
    const own = names.filter((name) => !shared.includes(name));
    const members = tags.map((value): ObjectModel => {
      const literal: ChoicesModel = { kind: "choices", values: [value], spelling: "union" };
      const properties = random.several(own, random.below(3)).map((name) => this.#property(name, depth + 1));
      return {
        kind: "object",
        properties: [{ name: tag, type: literal, optional: false }, ...properties],
        spelling: random.pick(SPELLINGS),
      };
    });
    const common = shared.map((name) => this.#property(name, depth + 1));
    return { kind: "either", members, tag, ...(common.length > 0 && { common }) };
  }

  /** Generates a union of object types. Each has a required property that no other one has. */
  #byKeys(depth: number): EitherModel {
    const random = this.#random;
    const names = random.several(NAMES, 4 + random.below(5));
    const count = 2 + random.below(2);
    const members = Array.from({ length: count }, (_, member): ObjectModel => {
      const own = names.filter((name) => names.indexOf(name) % count === member);
      const properties = own.map((name, index): PropertyModel => {
        const property = this.#property(name, depth + 1);
        return index === 0 ? { name, type: property.type, optional: false } : property;
      });
      return { kind: "object", properties, spelling: random.pick(SPELLINGS) };
    });
    return { kind: "either", members };
  }

  /** Generates a union of types of different kinds, such as a string and an array. */
  #byKind(depth: number): EitherModel {
    const random = this.#random;
    const scalars: readonly Model[] = [
      { kind: "text" },
      { kind: "number" },
      { kind: "boolean" },
      { kind: "null" },
      { kind: "date" },
      // The strings of these types could be equal, so a union has only one of them.
      random.chance(40) ? { kind: random.pick(["bytes", "bigint"]) } : this.#template(),
    ];
    const containers = [
      this.#object(depth + 1),
      random.chance(50) ? this.#list(depth + 1) : this.#tuple(depth + 1),
    ];
    const members = [...random.several(scalars, 2 + random.below(2)), ...random.some(containers, 30)];
    return { kind: "either", members };
  }

  /** Generates a type that refers to itself in one of the usual ways. */
  #recursive(): void {
    const random = this.#random;
    const name = `${this.#name}Node`;
    const itself: Model = { kind: "named", name };
    const [first, second, third] = random.several(["next", "children", "left", "value", "constructor"], 3);
    const ways: readonly ((key: string) => PropertyModel)[] = [
      (key) => ({ name: key, type: itself, optional: true }),
      (key) => ({
        name: key,
        type: { kind: "list", element: itself, spelling: "brackets" },
        optional: false,
      }),
      (key) => ({
        name: key,
        type: { kind: "either", members: [itself, { kind: "null" }] },
        optional: false,
      }),
      (key) => ({ name: key, type: { kind: "dictionary", keys: "string", value: itself }, optional: true }),
    ];
    const properties = [
      random.pick(ways)(first as string),
      ...random.some([random.pick(ways)(second as string)], 40),
      { name: third as string, type: this.#scalar(), optional: false },
    ];
    this.#named[name] = { kind: "object", properties, spelling: "interface" };
  }
}
