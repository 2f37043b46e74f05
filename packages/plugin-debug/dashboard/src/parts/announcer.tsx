import type { JSX } from "preact";

import { createStore, useStore } from "../state/store.ts";

const said = createStore("");

/** Announces a text to screen readers, after their current output. */
export function announce(text: string): void {
  // Without the space, a repeated text would be announced only once.
  said.set(said.get() === text ? `${text}\u00a0` : text);
}

/** Live region for {@link announce}. */
export function Announcer(): JSX.Element {
  return (
    <div class="offscreen" role="status" aria-live="polite" data-announcer>
      {useStore(said)}
    </div>
  );
}
