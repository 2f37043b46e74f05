// Generates values of a model, as they are on the wire and as handlers see them.

import {
  type EitherModel,
  type Model,
  type ObjectModel,
  resolve,
  type Subject,
  withCommon,
} from "./model.ts";
import { acceptsTemplate } from "./accept.ts";
import type { Random } from "./random.ts";
import { FORMATS, NUMBERS, PATTERNS, PLAIN } from "./texts.ts";

/** Generated value, and the model that it was generated from. */
export interface Generated {
  /** Model at this location, which may be a union or a name. */
  readonly place: Model;
  /** Model of the value itself: the union member, or the type that the name stands for. */
  readonly model: Exclude<Model, EitherModel | { kind: "named" }>;
  readonly wire: unknown;
  /** Value as a handler sees it. */
  readonly value: unknown;
  /** Values within an object or array, by key or index. */
  readonly parts: readonly (readonly [string | number, Generated])[];
  /** True if the value is an object or array, and if its union has other members of that kind but no tag property. */
  readonly vague: boolean;
}

const DEEPEST = 7;

/** Generates values of models. */
export class Values {
  readonly #random: Random;
  readonly #named: Subject["named"];

  constructor(random: Random, named: Subject["named"]) {
    this.#random = random;
    this.#named = named;
  }

  /** Returns a random value of the model. */
  of(place: Model, depth = 0): Generated {
    const model = resolve(place, this.#named);
    if (model.kind === "either") {
      const member = this.#member(model, depth);
      const made = this.of(withCommon(model, resolve(member, this.#named)), depth);
      const kind = container(made.model);
      const alike = model.members.filter((one) => container(resolve(one, this.#named)) === kind);
      return { ...made, place, vague: kind !== undefined && model.tag === undefined && alike.length > 1 };
    }
    const scalar = (wire: unknown, value: unknown = wire): Generated => ({
      place,
      model,
      wire,
      value,
      parts: [],
      vague: false,
    });
    const random = this.#random;
    switch (model.kind) {
      case "null":
        return scalar(null);
      case "boolean":
        return scalar(random.chance(50));
      case "unknown":
        return scalar(random.pick([null, 1, "~", [1, { a: null }], { constructor: "x" }]));
      case "date": {
        const [time, text] = random.pick([
          [0, "1970-01-01T00:00:00.000Z"],
          [1_700_000_000_001, "2023-11-14T22:13:20.001Z"],
          [1_767_225_600_000, "2026-01-01T00:00:00Z"],
        ] as const);
        return scalar(text, new Date(time));
      }
      case "bytes": {
        const bytes = random.pick([[], [0], [1, 2], [255, 254, 253], [0, 16, 131, 16]]);
        return scalar(Buffer.from(bytes).toString("base64"), new Uint8Array(bytes));
      }
      case "bigint": {
        const value = random.pick([0n, 5n, -1n, 12_345_678_901_234_567_890n]);
        return scalar(String(value), value);
      }
      case "text":
        return scalar(this.#text(model));
      case "number":
        return scalar(this.#number(model));
      case "template":
        return scalar(this.#template(model));
      case "choices": {
        const value = random.pick(model.values);
        return scalar(typeof value === "bigint" ? String(value) : value, value);
      }
      case "list":
        return this.#list(place, model, depth);
      case "tuple": {
        const models = [...model.first, ...model.optional.slice(0, random.below(model.optional.length + 1))];
        const full = models.length === model.first.length + model.optional.length;
        if (model.rest !== undefined && full && depth < DEEPEST)
          models.push(...Array.from({ length: random.below(3) }, () => model.rest as Model));
        return this.#items(
          place,
          model,
          [...models, ...model.last].map((one) => this.of(one, depth + 1)),
        );
      }
      case "dictionary": {
        const keys = {
          string: ["k", "another key", "toString"],
          number: ["0", "12"],
          template: ["x-", "x-a"],
          ruled: ["ab", "toxine", "éé"],
        };
        const chosen = depth < DEEPEST ? random.some(keys[model.keys], 50) : [];
        return this.#entries(
          place,
          model,
          chosen.map((key) => [key, this.of(model.value, depth + 1)] as const),
          {},
        );
      }
      case "object":
        return this.#object(place, model, depth);
    }
  }

  #member({ members }: EitherModel, depth: number): Model {
    // Prefers `null` at the maximum depth, so that the value ends.
    const ends = members.filter((member) => member.kind === "null");
    return depth >= DEEPEST && ends.length > 0 ? (ends[0] as Model) : this.#random.pick(members);
  }

  #object(place: Model, model: ObjectModel, depth: number): Generated {
    const filled: Record<string, unknown> = {};
    const entries: [string, Generated][] = [];
    for (const { name, type, optional, fallback } of model.properties) {
      if (optional && (depth >= DEEPEST || this.#random.chance(40))) continue;
      if (fallback !== undefined && this.#random.chance(40)) filled[name] = fallback;
      else entries.push([name, this.of(type, depth + 1)]);
    }
    return this.#entries(place, model, entries, filled);
  }

  #entries(
    place: Model,
    model: Generated["model"],
    parts: Generated["parts"],
    filled: Readonly<Record<string, unknown>>,
  ): Generated {
    const wire = Object.fromEntries(parts.map(([key, made]) => [key, made.wire]));
    const value = { ...Object.fromEntries(parts.map(([key, made]) => [key, made.value])), ...filled };
    return { place, model, wire, value, parts, vague: false };
  }

  #list(place: Model, model: Extract<Model, { kind: "list" }>, depth: number): Generated {
    const least = model.least ?? 0;
    const extra = depth >= DEEPEST ? 0 : this.#random.below(3);
    const length = Math.min(least + extra, model.most ?? Infinity);
    const items: Generated[] = Array.from({ length }, () => this.of(model.element, depth + 1));
    const used = new Set<string>();
    const kept = items.filter((item) => {
      const text = JSON.stringify(item.wire);
      return model.unique !== true || (!used.has(text) && used.add(text));
    });
    return this.#items(place, model, kept);
  }

  #items(place: Model, model: Generated["model"], items: readonly Generated[]): Generated {
    return {
      place,
      model,
      wire: items.map((item) => item.wire),
      value: items.map((item) => item.value),
      parts: items.map((item, index) => [index, item] as const),
      vague: false,
    };
  }

  #text(model: Extract<Model, { kind: "text" }>): string {
    const { least = 0, most, pattern, format } = model;
    if (pattern !== undefined) return this.#random.pick(PATTERNS[pattern]?.right ?? []);
    if (format !== undefined) return this.#random.pick(FORMATS[format]?.right ?? []);
    if (least === 0 && most === undefined) return this.#random.pick(PLAIN);
    const length = least + this.#random.below((most ?? least + 3) - least + 1);
    return Array.from({ length }, () => this.#random.pick(["~", "é", "😀", " "])).join("");
  }

  #number(model: Extract<Model, { kind: "number" }>): number {
    const { integer, minimum, maximum, above, below, multiple } = model;
    const bounds = [minimum, maximum, above, below].filter((bound) => bound !== undefined);
    const near = (bounds.length === 0 ? [0, 3] : bounds).flatMap((bound) => [
      bound - 1,
      bound,
      bound + 1,
      bound + 0.5,
    ]);
    const candidates = (multiple === undefined ? [...near, ...NUMBERS] : near).filter(
      (number) =>
        (integer !== true || Number.isSafeInteger(number)) &&
        number >= (minimum ?? -Infinity) &&
        number <= (maximum ?? Infinity) &&
        number > (above ?? -Infinity) &&
        number < (below ?? Infinity) &&
        (multiple === undefined || number % multiple === 0),
    );
    return this.#random.pick(candidates) + 0;
  }

  #template(model: Extract<Model, { kind: "template" }>): string {
    const { parts } = model;
    const fillings = {
      string: ["", "a", "a.b@c", "1", "é\n"],
      number: ["0", "-1.5", "1e9", "12"],
      bigint: ["0", "-12"],
      boolean: ["true", "false"],
    };
    // The string for one hole can change where TypeScript ends another hole, so that the whole string no
    // longer matches.
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const text = parts
        .map((part) => (typeof part === "string" ? part : this.#random.pick(fillings[part.hole])))
        .join("");
      if (acceptsTemplate(model, text)) return text;
    }
    // The texts of generated templates contain no 7 and no q.
    return parts
      .map((part, index) => {
        if (typeof part === "string") return part;
        const isBesideHole = typeof parts[index + 1] === "object";
        return { string: isBesideHole ? "q" : "", number: "7", bigint: "7", boolean: "true" }[part.hole];
      })
      .join("");
  }
}

/** Returns `array` or `object` if values of the model contain other values. */
function container({ kind }: Model): "array" | "object" | undefined {
  if (kind === "list" || kind === "tuple") return "array";
  return kind === "object" || kind === "dictionary" ? "object" : undefined;
}
