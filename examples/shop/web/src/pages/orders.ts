import { api, type OrderView } from "../api.ts";
import { element, money } from "../elements.ts";
import { act } from "../actions.ts";
import { announce } from "../messages.ts";
import type { View } from "../view.ts";

const dates = new Intl.DateTimeFormat("en", { dateStyle: "long", timeStyle: "short" });

/** Shows the orders of the account, the newest first. */
export async function ordersPage(): Promise<View> {
  const first = await api.get("/orders", { query: { limit: 10 } });
  if (first.data.length === 0) {
    return {
      title: "Orders",
      content: [element("p", { textContent: "You have not ordered anything yet." })],
    };
  }
  const list = element("ol", { className: "orders" }, ...first.data.map(itemOf));
  const more = element("button", { type: "button", textContent: "Show more" });
  let { next } = first;
  more.hidden = next === undefined;

  const showMore = async (): Promise<void> => {
    const page = await api.get("/orders", { query: { limit: 10, cursor: next! } });
    ({ next } = page);
    const items = page.data.map(itemOf);
    list.append(...items);
    more.hidden = next === undefined;
    announce(`${list.children.length} orders are shown.`);
    items[0]?.focus();
  };
  more.addEventListener("click", () => act(more, showMore));
  return { title: "Orders", content: [list, more] };
}

function itemOf({ placedAt, total, items }: OrderView): HTMLLIElement {
  return element(
    "li",
    { tabIndex: -1 },
    element(
      "h2",
      {},
      element("time", { dateTime: placedAt.toISOString(), textContent: dates.format(placedAt) }),
    ),
    element(
      "ul",
      {},
      ...items.map(({ name, price, quantity }) =>
        element("li", { textContent: `${quantity} × ${name}, ${money(price * quantity)}` }),
      ),
    ),
    element("p", { className: "total", textContent: `Total: ${money(total)}` }),
  );
}
