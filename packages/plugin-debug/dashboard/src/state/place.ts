import { hrefOf, type Place, readPlace, type View } from "../text/place.ts";
import { createStore, type Store } from "./store.ts";

export { hrefOf, type Place, type View, views } from "../text/place.ts";

/** Where the page is. */
export const place: Store<Place> = createStore<Place>(readPlace(globalThis.location?.hash ?? ""));

/** Follows the address. */
export function followAddress(): void {
  addEventListener("hashchange", () => place.set(readPlace(location.hash)));
}

/** Goes to another place. Typing into a filter replaces the address, so that going back is one step. */
export function go(to: Partial<Place> & { readonly view: View }, how: "push" | "replace" = "push"): void {
  const href = hrefOf(to);
  if (how === "push") location.hash = href;
  else {
    history.replaceState(null, "", href);
    place.set(readPlace(href));
  }
}
