// Reduces a type that fails to a smaller type that fails too.

import type { Model, ObjectModel, PropertyModel, Subject } from "./model.ts";
import { tags } from "./source.ts";

/** Maximum number of smaller types that are built together. */
const MOST_CANDIDATES = 150;

/** Maximum number of times that the type is made smaller. */
const MOST_ROUNDS = 30;

/** Returns the smallest type that still fails. Removes one part of the type after the other. */
export async function reduce(
  subject: Subject,
  size: (subject: Subject) => number,
  areWrong: (subjects: readonly Subject[]) => Promise<boolean[]>,
): Promise<Subject> {
  let smallest = subject;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const candidates = smaller(smallest)
      .map((candidate, index) => put(candidate, "name", `R${round}C${index}Type`))
      .filter((candidate) => size(candidate) < size(smallest))
      .toSorted((a, b) => size(a) - size(b))
      .slice(0, MOST_CANDIDATES);
    const wrong = await areWrong(candidates);
    const found = candidates.find((_, index) => wrong[index]);
    if (found === undefined) break;
    smallest = found;
  }
  return smallest;
}

/** Returns copies of the type in which one part is missing or smaller. */
function smaller({ name, model, named }: Subject): Subject[] {
  const subjects = reductions(model).map((less): Subject => ({ name, model: less, named }));
  for (const [key, recursive] of Object.entries(named)) {
    for (const less of reductions(recursive)) {
      // A recursive type must be an interface, so only an object type can replace it.
      if (less.kind === "object") subjects.push({ name, model, named: { ...named, [key]: less } });
    }
    if (!JSON.stringify(model, withoutBigint).includes(`"${key}"`)) subjects.push({ name, model, named: {} });
  }
  return subjects;
}

function reductions(model: Model): Model[] {
  switch (model.kind) {
    case "object":
      return [
        // Doc tags belong to a property, so a type that has rules is not used without its property.
        ...model.properties.map(({ type }) => type).filter((type) => tags(type).length === 0),
        ...(model.spelling === "inline" ? [] : [{ ...model, spelling: "inline" } satisfies ObjectModel]),
        // An object type must have a property, because `{}` accepts every value except null.
        ...fewer(model.properties)
          .filter((properties) => properties.length > 0)
          .map((properties) => put(model, "properties", properties)),
      ];
    case "either":
      return [
        ...model.members,
        ...(model.common === undefined
          ? []
          : fewer(model.common).map((common) => put(model, "common", common))),
        ...model.members.flatMap((member, index) => [
          ...(model.members.length > 2 ? [{ ...model, members: model.members.toSpliced(index, 1) }] : []),
          ...reductions(member)
            // The member must be of the same kind, because its kind distinguishes it from the others.
            .filter((less) => less.kind === member.kind)
            .map((less) => put(model, "members", model.members.with(index, less))),
        ]),
      ].filter((less) => model.tag === undefined || keepsTag(less, model.tag));
    case "list":
      return [model.element, ...reductions(model.element).map((element) => put(model, "element", element))];
    case "dictionary":
      return [model.value, ...reductions(model.value).map((value) => put(model, "value", value))];
    case "tuple": {
      const places = ["first", "optional", "last"] as const;
      const { rest, ...others } = model;
      return [
        ...places.flatMap((place) =>
          model[place].flatMap((element, index) => [
            element,
            { ...model, [place]: model[place].toSpliced(index, 1) },
            ...reductions(element).map((less) => put(model, place, model[place].with(index, less))),
          ]),
        ),
        ...(rest === undefined ? [] : [others, ...reductions(rest).map((less) => put(model, "rest", less))]),
      ];
    }
    case "choices":
      return model.values.length < 2
        ? []
        : model.values.map((_, index) => ({ ...model, values: model.values.toSpliced(index, 1) }));
    case "template":
      return model.parts.length < 3
        ? []
        : model.parts.map((_, index) => ({ ...model, parts: model.parts.toSpliced(index, 1) }));
    default:
      return [];
  }
}

/** Returns a copy of the model with another value of one field. */
function put<M, K extends keyof M>(model: M, key: K, value: M[K]): M {
  return { ...model, [key]: value };
}

/** Returns copies of a list of properties in which one property is missing or smaller. */
function fewer(properties: readonly PropertyModel[]): PropertyModel[][] {
  return properties.flatMap((property, index) => [
    properties.toSpliced(index, 1),
    ...reductions(property.type).map((type) => properties.with(index, { ...property, type })),
  ]);
}

/** Returns true if all members of a union still have the tag property. */
function keepsTag(model: Model, tag: string): boolean {
  if (model.kind !== "either") return true;
  return model.members.every(
    (member) => member.kind === "object" && member.properties.some(({ name }) => name === tag),
  );
}

function withoutBigint(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
