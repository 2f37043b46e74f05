import { hrefOf, type Place, readPlace, type View } from "../text/place.ts";
import { createStore, type Store } from "./store.ts";

export { hrefOf, keyOf, type Place, type View, views } from "../text/place.ts";

/** Location in the dashboard that the user is at now. */
export const place: Store<Place> = createStore<Place>(readPlace(globalThis.location?.hash ?? ""));

/** Updates the location when the address changes. */
export function followAddress(): void {
  addEventListener("hashchange", () => place.set(readPlace(location.hash)));
}

/** Goes to another location. `replace` creates no entry in the browser's history, so typing into a filter adds none. */
export function go(to: Partial<Place> & { readonly view: View }, how: "push" | "replace" = "push"): void {
  const href = hrefOf(to);
  if (how === "push") location.hash = href;
  else {
    history.replaceState(null, "", href);
    place.set(readPlace(href));
  }
}
