// Generates values that are invalid at one location.

import { accepts, isObject } from "./accept.ts";
import type { Model, Subject } from "./model.ts";
import type { Random } from "./random.ts";
import { FORMATS, PATTERNS, UNDECLARED } from "./texts.ts";
import type { Generated } from "./values.ts";

/** Step of a path into a value: a key or an index. */
export type Step = string | number;

/** Copy of a valid value with one change. */
export interface InvalidValue {
  readonly wire: unknown;
  readonly how: string;
  /** Path of the change. */
  readonly path: readonly Step[];
  /** Path of the outermost union without a tag property around the change. The failure may be reported anywhere below it. */
  readonly ambiguous?: readonly Step[];
}

/** Values of each kind. Those that the model accepts are left out. */
const UNRELATED: readonly unknown[] = [null, true, 12.25, "~not it~", [], {}, [["~"]], { "~": 1 }];

/** Returns copies of a value that are each invalid at one location. There are several for each location. */
export function invalidValues(made: Generated, named: Subject["named"], random: Random): InvalidValue[] {
  const { place, model, wire, parts, vague: ambiguous } = made;
  const here = (wrong: unknown, how: string, path: readonly Step[] = []): InvalidValue => ({
    wire: wrong,
    how,
    path,
    ...((ambiguous || place.kind === "either") && path.length === 0 && { ambiguous: [] }),
  });
  const list: InvalidValue[] = [];
  const strangers = UNRELATED.filter((value) => isStranger(model, value) && !accepts(place, value, named));
  list.push(
    ...random.several(strangers, 2).map((value) => here(value, `${JSON.stringify(value)} in its place`)),
  );
  list.push(...broken(model, wire).map(([value, how]) => here(value, how)));
  if (Array.isArray(wire) && model.kind === "tuple") {
    const items: readonly unknown[] = wire;
    const least = model.first.length + model.last.length;
    if (model.rest === undefined && items.length === least + model.optional.length)
      list.push(here([...items, true], "an element more"));
    if (items.length === least && least > 0) list.push(here(items.slice(0, -1), "an element less"));
  }
  if (isObject(wire) && model.kind === "dictionary" && model.keys === "ruled") {
    const [[, part] = []] = parts;
    const wrong = [
      ["a", "a short key"],
      ["é".repeat(7), "a long key"],
      ["a-b", "another key"],
    ] as const;
    for (const [key, how] of wrong) {
      if (part !== undefined) list.push(here({ ...wire, [key]: part.wire }, how, [key]));
    }
  }
  if (isObject(wire) && model.kind === "object") {
    list.push(here({ ...wire, [UNDECLARED]: 1 }, "an undeclared key"));
    for (const { name, optional, fallback } of model.properties) {
      if (optional || fallback !== undefined) continue;
      const rest = Object.fromEntries(Object.entries(wire).filter(([key]) => key !== name));
      list.push(here(rest, `without ${JSON.stringify(name)}`, [name]));
    }
  }
  const tags = place.kind === "either" && place.tag !== undefined ? tagsOf(place.members, place.tag) : [];
  for (const [key, part] of parts) {
    for (const inner of invalidValues(part, named, random)) {
      // With the tag of another member, the value would belong to that member, and the failure would be
      // reported elsewhere.
      if (place.kind === "either" && key === place.tag && tags.includes(inner.wire)) continue;
      list.push({
        wire: replaced(wire, key, inner.wire),
        how: inner.how,
        path: [key, ...inner.path],
        ...(inner.ambiguous !== undefined && { ambiguous: [key, ...inner.ambiguous] }),
      });
    }
  }
  return ambiguous ? list.map((invalid) => ({ ...invalid, ambiguous: [] })) : list;
}

/** Returns true if the value as a whole is of the wrong kind, so that the failure names its location and not one within it. */
function isStranger(model: Model, value: unknown): boolean {
  if (model.kind === "list" || model.kind === "tuple") return !Array.isArray(value);
  return (model.kind !== "object" && model.kind !== "dictionary") || !isObject(value);
}

/** Returns values that break a rule by the least possible amount. */
function broken(model: Generated["model"], wire: unknown): (readonly [unknown, string])[] {
  const list: (readonly [unknown, string])[] = [];
  switch (model.kind) {
    case "text": {
      const { least = 0, most, pattern, format } = model;
      if (least > 0) list.push(["😀".repeat(least - 1), "a character less"]);
      if (most !== undefined) list.push(["é".repeat(most + 1), "a character more"]);
      if (pattern !== undefined) list.push([PATTERNS[pattern]?.wrong, "another pattern"]);
      for (const wrong of FORMATS[format ?? ""]?.wrong ?? [])
        list.push([wrong, `another format than ${format}`]);
      break;
    }
    case "number": {
      const { integer, minimum, maximum, above, below, multiple } = model;
      if (minimum !== undefined) list.push([minimum - 1, "below the minimum"]);
      if (maximum !== undefined) list.push([maximum + 1, "above the maximum"]);
      if (above !== undefined) list.push([above, "the exclusive minimum"]);
      if (below !== undefined) list.push([below, "the exclusive maximum"]);
      if (multiple !== undefined) list.push([(wire as number) + multiple / 4, "no multiple"]);
      if (integer) list.push([(wire as number) + 0.5, "no integer"], [2 ** 53, "no safe integer"]);
      list.push([String(wire), "a number as text"]);
      break;
    }
    case "template": {
      const text = wire as string;
      list.push([`~${text}`, "a letter before"], [`${text}~`, "a letter behind"], ["", "no text"]);
      list.push([text.slice(1), "without its first letter"], [text.slice(0, -1), "without its last letter"]);
      if (
        model.most !== undefined &&
        model.parts.some((part) => typeof part === "object" && part.hole === "string")
      ) {
        const long = model.parts.map((part) =>
          typeof part === "string"
            ? part
            : { string: "é".repeat(41), number: "1", bigint: "1", boolean: "true" }[part.hole],
        );
        list.push([long.join(""), "too long"]);
      }
      break;
    }
    case "list": {
      const items = wire as unknown[];
      if (model.least !== undefined && items.length === model.least)
        list.push([items.slice(1), "an item less"]);
      if (model.most !== undefined && items.length > 0)
        list.push([Array.from({ length: model.most + 1 }, () => items[0]), "too many items"]);
      if (model.unique && items.length > 0) list.push([[...items, items[0]], "an item twice"]);
      break;
    }
    case "date":
      list.push(["2026-02-30T00:00:00Z", "no day of that month"], ["2026-01-01", "no time"], [0, "a number"]);
      break;
    case "bytes":
      list.push([`${wire as string}A`, "no base64"], ["AB==", "base64 with bits left over"]);
      break;
    case "bigint":
      list.push(
        ["", "no digits"],
        ["0x1", "hexadecimal"],
        ["1.0", "a fraction"],
        [2 ** 53, "no safe integer"],
      );
      break;
    case "choices":
      list.push([`${String(wire)} `, "a space behind"]);
      break;
    default:
  }
  return list;
}

/** Returns the values of the tag property that the members of a union have. */
function tagsOf(members: readonly Model[], tag: string): unknown[] {
  return members.flatMap((member) => {
    const property =
      member.kind === "object" ? member.properties.find(({ name }) => name === tag) : undefined;
    return property?.type.kind === "choices" ? property.type.values : [];
  });
}

function replaced(wire: unknown, key: Step, part: unknown): unknown {
  if (Array.isArray(wire)) return wire.map((item: unknown, index) => (index === key ? part : item));
  return { ...(wire as object), [key]: part };
}
