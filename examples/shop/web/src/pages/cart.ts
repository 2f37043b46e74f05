import { api, type Cart } from "../api.ts";
import { element, money } from "../elements.ts";
import { act, handleFailure } from "../actions.ts";
import { announce } from "../messages.ts";
import { attemptKey, endAttempt } from "../order-attempt.ts";
import { setCart } from "../session.ts";
import { goTo, type View } from "../view.ts";

/** Shows the cart, whose quantities can be changed, and orders its products. */
export async function cartPage(): Promise<View> {
  const area = element("div");
  const show = (cart: Cart): void => {
    setCart(cart);
    area.replaceChildren(...contentOf(cart, show));
  };
  show(await api.get("/cart"));
  return { title: "Cart", content: [area] };
}

function contentOf(cart: Cart, show: (cart: Cart) => void): readonly Node[] {
  if (cart.lines.length === 0) return [element("p", { textContent: "The cart is empty." })];
  const names = ["Product", "Price", "Quantity", "Sum", "Action"];
  const order = element("button", { type: "button", className: "primary", textContent: "Order" });
  order.addEventListener("click", () => act(order, placeOrder));
  return [
    element(
      "table",
      {},
      element(
        "thead",
        {},
        element("tr", {}, ...names.map((name) => element("th", { scope: "col", textContent: name }))),
      ),
      element("tbody", {}, ...cart.lines.map((line) => rowOf(line, show))),
    ),
    element("p", { className: "total", textContent: `Total: ${money(cart.total)}` }),
    order,
  ];
}

function rowOf(
  { slug, name, price, quantity }: Cart["lines"][number],
  show: (cart: Cart) => void,
): HTMLElement {
  const input = element("input", {
    type: "number",
    min: "1",
    max: "99",
    value: String(quantity),
    ariaLabel: `Quantity of ${name}`,
  });
  const changeQuantity = async (): Promise<void> => {
    const body = { quantity: input.valueAsNumber };
    endAttempt();
    show(await api.put("/cart/:slug", { params: { slug }, body }));
    announce(`The cart has ${body.quantity} × ${name}.`);
  };
  input.addEventListener("change", () => changeQuantity().catch(handleFailure));
  const remove = element("button", { type: "button", textContent: "Remove", ariaLabel: `Remove: ${name}` });
  const removeLine = async (): Promise<void> => {
    endAttempt();
    show(await api.delete("/cart/:slug", { params: { slug } }));
    announce(`${name} is no longer in the cart.`);
  };
  remove.addEventListener("click", () => act(remove, removeLine));
  return element(
    "tr",
    {},
    element("th", { scope: "row", textContent: name }),
    element("td", { textContent: money(price) }),
    element("td", {}, input),
    element("td", { textContent: money(price * quantity) }),
    element("td", {}, remove),
  );
}

async function placeOrder(): Promise<void> {
  const { data: order } = await api.post("/orders", { headers: { "idempotency-key": attemptKey() } });
  endAttempt();
  setCart({ lines: [], total: 0 });
  goTo("#/orders", `Thank you! You have ordered for ${money(order.total)}.`);
}
