/**
 * Converts the export of a configuration file to plain JSON data, because kit's compiler, a program in Rust, reads it.
 *
 * @throws {Error} with the path of a value that has no JSON form: a function, a class instance or a cycle.
 */
export function plainData(value: unknown): unknown {
  return convert(value, "", []);
}

function convert(value: unknown, path: string, parents: readonly object[]): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) {
        throw refuse(path, String(value));
      }
      return value;
    case "object":
      if (value === null) {
        return null;
      }
      if (parents.includes(value)) {
        throw refuse(path, "a value that contains itself");
      }
      return convertObject(value, path, [...parents, value]);
    case "undefined":
      throw refuse(path, "undefined");
    default:
      throw refuse(path, `a ${typeof value}`);
  }
}

function convertObject(value: object, path: string, parents: readonly object[]): unknown {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => convert(item, `${path}[${index}]`, parents));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object literal has a prototype that has no prototype itself, also if the object comes from another realm. A module namespace has no
  // prototype.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw refuse(path, `an instance of ${value.constructor.name}`);
  }
  const entries = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => [key, convert(member, path === "" ? key : `${path}.${key}`, parents)] as const);
  return Object.fromEntries(entries);
}

function refuse(path: string, found: string): Error {
  return new Error(
    `${path === "" ? "the default export" : `\`${path}\``} is ${found}; options are strings, numbers, booleans, lists and plain objects`,
  );
}
