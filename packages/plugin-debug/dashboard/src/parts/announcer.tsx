import type { JSX } from "preact";

import { createStore, useStore } from "../state/store.ts";

const said = createStore("");

/** Has a screen reader say something, as soon as it has nothing else to say. */
export function announce(text: string): void {
  // The same text twice would be said once.
  said.set(said.get() === text ? `${text}\u00a0` : text);
}

/** Where {@link announce} is heard. */
export function Announcer(): JSX.Element {
  return (
    <div class="offscreen" role="status" aria-live="polite" data-announcer>
      {useStore(said)}
    </div>
  );
}
