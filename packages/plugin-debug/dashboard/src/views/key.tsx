import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Icon } from "../parts/icon.tsx";
import { unlock } from "../state/session.ts";

/**
 * Form in which the user enters the debug key in production. The key is never part of an address, because histories and logs would store
 * it.
 */
export function KeyForm({ problem }: { readonly problem: string | null }): JSX.Element {
  const [key, setKey] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <main class="gate">
      <form
        class="gate-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (key !== "") unlock(key);
        }}
      >
        <Icon name="lock" />
        <h1>This sidecar asks for its key</h1>
        <label htmlFor="key">Key</label>
        <input
          ref={field}
          id="key"
          type="password"
          autocomplete="current-password"
          value={key}
          aria-invalid={problem !== null}
          aria-describedby="key-help"
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        {problem !== null && (
          <p class="bad-text" role="alert">
            {problem}
          </p>
        )}
        <p id="key-help" class="muted small-text">
          It is the <code>apiKey</code> of <code>debugPlugin</code>. This tab keeps it until it is closed, and
          sends it as <code>X-Debug-Key</code>.
        </p>
        <button type="submit" class="button primary">
          Open
        </button>
      </form>
    </main>
  );
}
