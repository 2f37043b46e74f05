import type { Shape } from "@kit/core/codec";

type Reference = Extract<Shape, { kind: "reference" }>;

/** Shapes that are already converted. Without this map, the conversion of a type that contains itself would not end. */
const made = new WeakMap<Shape, Shape>();

/**
 * Returns the shape of responses for a shape of the contract. In a request, a property with a default may be missing, but not in a
 * response. The result lacks the generated functions that check requests faster, because these functions would allow missing properties.
 */
export function outputShape(shape: Shape): Shape {
  const known = made.get(shape);
  if (known !== undefined) return known;
  const output = convert(shape);
  made.set(shape, output);
  return output;
}

function convert(shape: Shape): Shape {
  switch (shape.kind) {
    case "reference":
      return { ...shape, to: () => outputShape(shape.to()) } satisfies Reference;
    case "array": {
      const { isItem: _, ...rest } = shape;
      return { ...rest, element: outputShape(shape.element) };
    }
    case "tuple":
      return {
        ...shape,
        elements: shape.elements.map((element) => ({ ...element, shape: outputShape(element.shape) })),
      };
    case "union":
      return { ...shape, members: shape.members.map(outputShape) };
    case "object": {
      const { explain: _, ...rest } = shape;
      return {
        ...rest,
        properties: shape.properties.map(({ optional, ...property }) => ({
          ...property,
          shape: outputShape(property.shape),
          ...(optional === "always" ? { optional } : {}),
        })),
        ...(shape.index === undefined
          ? {}
          : { index: shape.index.map((entry) => ({ ...entry, shape: outputShape(entry.shape) })) }),
      };
    }
    default:
      return shape;
  }
}
