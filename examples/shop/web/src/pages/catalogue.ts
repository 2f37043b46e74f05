import { api, type ProductView, type Tag } from "../api.ts";
import { element, money } from "../elements.ts";
import { act } from "../actions.ts";
import { announce } from "../messages.ts";
import { endAttempt } from "../order-attempt.ts";
import { session, setCart } from "../session.ts";
import { goTo, type View } from "../view.ts";

/** Shows the products, of all tags or of one. */
export async function cataloguePage(parameters: URLSearchParams): Promise<View> {
  const tag = parameters.get("tag");
  const filter = { limit: 12, ...(tag === null ? {} : { tag }) };
  const [tags, first] = await Promise.all([api.get("/tags"), api.get("/products", { query: filter })]);
  const list = element("ul", { className: "products" }, ...first.data.map(itemOf));
  const more = element("button", { type: "button", textContent: "Show more" });
  let { next } = first;
  more.hidden = next === undefined;

  const showMore = async (): Promise<void> => {
    const page = await api.get("/products", { query: { ...filter, cursor: next! } });
    ({ next } = page);
    const items = page.data.map(itemOf);
    list.append(...items);
    more.hidden = next === undefined;
    announce(`${list.children.length} products are shown.`);
    items[0]?.focus();
  };
  more.addEventListener("click", () => act(more, showMore));
  return { title: "Products", content: [tagLinks(tags, tag), list, more] };
}

function tagLinks(tags: readonly Tag[], current: string | null): HTMLElement {
  const ofTags = tags.map(({ slug, name }) => tagLink(`#/?tag=${slug}`, name, slug === current));
  const all = tagLink("#/", "All", current === null);
  return element("nav", { className: "tags", ariaLabel: "Tags" }, all, ...ofTags);
}

function tagLink(href: string, textContent: string, isCurrent: boolean): HTMLAnchorElement {
  return element("a", { href, textContent, ariaCurrent: isCurrent ? "true" : null });
}

function itemOf(product: ProductView): HTMLLIElement {
  const { name, description, price, stock } = product;
  const add = element("button", {
    type: "button",
    textContent: "Add to cart",
    ariaLabel: `Add to cart: ${name}`,
    disabled: stock === 0,
  });
  add.addEventListener("click", () => act(add, () => addToCart(product)));
  return element(
    "li",
    { tabIndex: -1 },
    element("h2", { textContent: name }),
    element("p", { textContent: description }),
    element("p", { className: "price", textContent: money(price) }),
    element("p", { className: "stock", textContent: stock === 0 ? "Sold out" : `${stock} in stock` }),
    add,
  );
}

async function addToCart({ slug, name }: ProductView): Promise<void> {
  if (session.account === null) return goTo("#/login", "Log in to fill your cart.");
  const inCart = session.cart.lines.find((line) => line.slug === slug)?.quantity ?? 0;
  endAttempt();
  setCart(await api.put("/cart/:slug", { params: { slug }, body: { quantity: inCart + 1 } }));
  announce(`${name} is in the cart.`);
}
