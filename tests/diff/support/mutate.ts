// Changes a model of a type in one or two places, as people change types.

import type {
  EitherModel,
  ListModel,
  Model,
  NumberModel,
  ObjectModel,
  PropertyModel,
  Subject,
  TextModel,
  TupleModel,
} from "../../property/support/model.ts";
import type { Random } from "../../property/support/random.ts";
import { tags } from "../../property/support/source.ts";
import { FORMATS, PATTERNS } from "../../property/support/texts.ts";

/** Returns a changed copy of the type. The copy is equal to the type with a probability of one in ten. */
export function mutate(random: Random, subject: Subject): Subject {
  let { model } = subject;
  const edits = random.chance(10) ? 0 : 1 + random.below(2);
  for (let edit = 0; edit < edits; edit++) model = change(random, model);
  const named = Object.fromEntries(
    Object.entries(subject.named).map(([name, recursive]) => [
      name,
      random.chance(30) && recursive.kind === "object" ? changeRecursive(random, recursive) : recursive,
    ]),
  );
  return { name: subject.name, model, named };
}

/** Changes the model itself or one of its parts. */
function change(random: Random, model: Model): Model {
  switch (model.kind) {
    case "object":
      return changeObject(random, model);
    case "either":
      return changeEither(random, model);
    case "list":
      return random.chance(50)
        ? { ...model, element: unruled(change(random, model.element)) }
        : changeList(random, model);
    case "dictionary":
      return random.chance(70)
        ? { ...model, value: unruled(change(random, model.value)) }
        : { ...model, keys: random.pick(["string", "number", "template", "ruled"] as const) };
    case "tuple":
      return changeTuple(random, model);
    case "text":
      return random.chance(70) ? changeText(random) : scalar(random);
    case "number":
      return random.chance(70) ? changeNumber(random) : scalar(random);
    case "choices": {
      const words = model.values.filter((value) => typeof value === "string");
      const other = random.pick(["red", "pink", "x-1"]);
      const values = random.chance(50) ? words.slice(1) : [...words, other];
      return {
        kind: "choices",
        values: [...new Set(values.length > 0 ? values : [other])],
        spelling: "union",
      };
    }
    case "template": {
      const parts = model.parts.map((part) =>
        typeof part === "string" || random.chance(50)
          ? part
          : { hole: random.pick(["string", "number", "bigint", "boolean"] as const) },
      );
      return { kind: "template", parts };
    }
    default:
      return scalar(random);
  }
}

/** Returns a model without doc tags, because only properties have doc tags. */
function unruled(model: Model): Model {
  return tags(model).length === 0 ? model : { kind: "text" };
}

function scalar(random: Random): Model {
  return random.pick<Model>([
    { kind: "text" },
    { kind: "number" },
    { kind: "boolean" },
    { kind: "null" },
    { kind: "date" },
    { kind: "bytes" },
    { kind: "bigint" },
    { kind: "unknown" },
    { kind: "choices", values: ["red", "green"], spelling: "union" },
    { kind: "choices", values: [0, 1, 42], spelling: "union" },
  ]);
}

function changeText(random: Random): TextModel {
  const least = random.below(5);
  const most = least + random.below(6);
  return random.pick<TextModel>([
    { kind: "text" },
    { kind: "text", least, most: Math.max(most, 1) },
    { kind: "text", least },
    { kind: "text", most: Math.max(most, 1) },
    { kind: "text", pattern: random.pick(Object.keys(PATTERNS)) },
    { kind: "text", format: random.pick(Object.keys(FORMATS)) },
  ]);
}

function changeNumber(random: Random): NumberModel {
  const least = random.below(4) - 1;
  const most = least + random.below(5);
  return {
    kind: "number",
    ...(random.chance(50) && { integer: true as const }),
    ...(random.chance(50) && (random.chance(50) ? { minimum: least } : { above: least - 1 })),
    ...(random.chance(50) && (random.chance(50) ? { maximum: most } : { below: most + 1 })),
    ...(random.chance(20) && { multiple: random.pick([0.5, 1]) }),
  };
}

function changeList(random: Random, model: ListModel): Model {
  const { element, spelling } = model;
  const least = random.below(4);
  return random.pick<Model>([
    { kind: "list", element, spelling },
    { kind: "list", element, spelling, least },
    { kind: "list", element, spelling, most: least + 1 },
    { kind: "list", element, spelling, unique: true },
    element.kind === "text" ? { kind: "text" } : unruled(element),
  ]);
}

function changeTuple(random: Random, model: TupleModel): TupleModel {
  const { first, optional, rest, last } = model;
  switch (random.below(5)) {
    case 0:
      return { ...model, first: [...first, scalar(random)] };
    case 1:
      return { ...model, first: first.slice(1) };
    case 2:
      return rest === undefined
        ? { ...model, rest: scalar(random) }
        : { kind: "tuple", first, optional, last };
    case 3:
      return last.length === 0 ? { ...model, optional: [...optional, scalar(random)] } : model;
    default: {
      const at = random.below(Math.max(first.length, 1));
      return {
        ...model,
        first: first.map((item, index) => (index === at ? unruled(change(random, item)) : item)),
      };
    }
  }
}

function changeObject(random: Random, model: ObjectModel): ObjectModel {
  const { properties } = model;
  const at = random.below(properties.length);
  const chosen = properties[at];
  // The spelling may depend on the properties, for example `partial`.
  const inline = (changed: readonly PropertyModel[]): ObjectModel => ({
    kind: "object",
    properties: changed,
    spelling: model.spelling === "interface" ? "interface" : "inline",
  });
  if (chosen === undefined) return model;
  const { fallback: _, ...plain } = chosen;
  switch (random.below(6)) {
    case 0:
      return inline([
        ...properties,
        { name: `added ${properties.length}`, type: scalar(random), optional: random.chance(50) },
      ]);
    case 1:
      return properties.length > 1 ? inline(properties.filter((property) => property !== chosen)) : model;
    case 2:
      return inline(properties.with(at, { ...plain, optional: !chosen.optional }));
    default:
      return inline(properties.with(at, { ...plain, type: change(random, chosen.type) }));
  }
}

/** Changes a property of a recursive type that does not refer to the type. Otherwise, the type could have no finite value. */
function changeRecursive(random: Random, model: ObjectModel): ObjectModel {
  const { properties } = model;
  const added: PropertyModel = { name: "added", type: scalar(random), optional: random.chance(50) };
  const at = properties.length - 1;
  const last = properties[at];
  if (random.chance(50) || last === undefined) return { ...model, properties: [...properties, added] };
  return { ...model, properties: properties.with(at, { ...last, type: scalar(random) }) };
}

function changeEither(random: Random, model: EitherModel): Model {
  const { members } = model;
  const at = random.below(members.length);
  const chosen = members[at] as Model;
  if (random.chance(30) && members.length > 2)
    return { ...model, members: members.filter((one) => one !== chosen) };
  if (random.chance(20) && model.tag === undefined && !members.some(({ kind }) => kind === "null"))
    return { ...model, members: [...members, { kind: "null" }] };
  const isTag = (property: PropertyModel): boolean => property.name === model.tag;
  const changed = change(random, chosen);
  if (model.tag !== undefined && (changed.kind !== "object" || !changed.properties.some(isTag))) return model;
  return { ...model, members: members.with(at, unruled(changed)) };
}
