/**
 * Returns a view of an object with other values for some properties. Methods of the object's class run on the object
 * itself, because they may use private fields.
 */
export function overlay<T extends object>(target: T, replaced: Partial<Record<keyof T, unknown>>): T {
  return new Proxy(target, {
    get(of, name) {
      if (Object.hasOwn(replaced, name)) return replaced[name as keyof T];
      const value: unknown = Reflect.get(of, name, of);
      return typeof value === "function" && !Object.hasOwn(of, name) ? value.bind(of) : value;
    },
  });
}
