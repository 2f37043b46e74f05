/** Properties of an element, and its ARIA attributes. */
type Properties<T> = Partial<Omit<T, "children">>;

/** Creates an element with properties and children. */
export function element<TName extends keyof HTMLElementTagNameMap>(
  name: TName,
  properties: Properties<HTMLElementTagNameMap[TName]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[TName] {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
}

/** Returns the element of the page with an id. */
export function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

const euros = new Intl.NumberFormat("en", { style: "currency", currency: "EUR" });

/** Returns an amount of cents as a text. */
export function money(cents: number): string {
  return euros.format(cents / 100);
}
