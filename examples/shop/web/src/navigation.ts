import { api } from "./api.ts";
import { byId, element } from "./elements.ts";
import { act } from "./actions.ts";
import { session, setAccount } from "./session.ts";
import { goTo } from "./view.ts";

/** Shows the links to the pages. The current page is marked. */
export function showNavigation(current: string): void {
  const { account, cart } = session;
  const pieces = cart.lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const link = (name: string, textContent: string) =>
    element("a", { href: `#/${name}`, textContent, ariaCurrent: name === current ? "page" : null });
  const ofAccount =
    account === null
      ? [link("login", "Log in")]
      : [link("cart", `Cart (${pieces})`), link("orders", "Orders"), logoutButton(account.name)];
  byId("navigation").replaceChildren(link("", "Products"), ...ofAccount);
}

function logoutButton(name: string): HTMLButtonElement {
  const button = element("button", { type: "button", textContent: "Log out", title: `Logged in as ${name}` });
  button.addEventListener("click", () => act(button, logOut));
  return button;
}

async function logOut(): Promise<void> {
  await api.delete("/session");
  await setAccount(null);
  goTo("#/", "You are logged out.");
}
