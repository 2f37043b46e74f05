import { byId, element } from "./elements.ts";
import { handleFailure } from "./actions.ts";
import { announce, showProblem } from "./messages.ts";
import { showNavigation } from "./navigation.ts";
import { onChange, readSession } from "./session.ts";
import { type Page, takeMessage } from "./view.ts";
import { cartPage } from "./pages/cart.ts";
import { cataloguePage } from "./pages/catalogue.ts";
import { loginPage } from "./pages/login.ts";
import { ordersPage } from "./pages/orders.ts";

const pages: Readonly<Record<string, Page>> = {
  "": cataloguePage,
  cart: cartPage,
  login: loginPage,
  orders: ordersPage,
};

/** Number of the page that the visitor opened last. A slower page that was opened before is not shown. */
let opened = 0;

/** Shows the page that the fragment of the address names: `#/orders`. */
async function show(): Promise<void> {
  // Links such as `#main` are places on the page.
  if (location.hash !== "" && !location.hash.startsWith("#/")) return;
  opened += 1;
  const number = opened;
  const [name = "", query = ""] = location.hash.slice(2).split("?");
  const page = pages[name] ?? cataloguePage;
  try {
    const { title, content } = await page(new URLSearchParams(query));
    if (number !== opened) return;
    document.title = `${title} – Shop`;
    byId("main").replaceChildren(element("h1", { textContent: title }), ...content);
  } catch (error) {
    await handleFailure(error);
  }
  showNavigation(name);
}

addEventListener("hashchange", () => {
  announce(takeMessage());
  void show().then(() => byId("main").focus());
});
onChange(() => showNavigation(location.hash.slice(2).split("?")[0]!));

await readSession().catch(showProblem);
await show();
