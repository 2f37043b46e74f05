import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

import { go, keyOf, type View, views } from "../state/place.ts";
import { shortcuts } from "../state/preferences.ts";
import { useStore } from "../state/store.ts";
import { Dialog } from "./dialog.tsx";

/** Handles keyboard shortcuts, except while the user types into a field. */
export function useShortcuts(showHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      // The browser itself closes a dialog.
      if (document.querySelector("dialog[open]") !== null) return;
      const isTyping =
        event.target instanceof Element &&
        event.target.closest("input, textarea, select, [contenteditable]") !== null;
      if (event.key === "Escape") {
        if (isTyping) (event.target as HTMLElement).blur();
        else document.querySelector<HTMLElement>("[data-close]")?.click();
        return;
      }
      if (isTyping || shortcuts.get() === "off") return;
      if (act(event.key, showHelp)) event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** Executes the action of a key. Returns true if the key has one. */
function act(key: string, showHelp: () => void): boolean {
  const view = views.find((_, index) => keyOf(index) === key);
  if (view !== undefined) {
    go({ view });
    return true;
  }
  switch (key) {
    case "?":
      showHelp();
      return true;
    case "/":
      return focus(document.querySelector<HTMLElement>("[data-search]"));
    case "j":
    case "ArrowDown":
      return move(1, key);
    case "k":
    case "ArrowUp":
      return move(-1, key);
    default: {
      const button = document.querySelector<HTMLElement>(`[data-shortcut="${CSS.escape(key)}"]`);
      button?.click();
      return button !== null;
    }
  }
}

function focus(element: HTMLElement | null): boolean {
  element?.focus();
  return element !== null;
}

/** Moves the focus to the next or previous row of a list. If no row has the focus, arrow keys scroll the page as usual. */
function move(by: 1 | -1, key: string): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  if (at === -1) {
    if (key.startsWith("Arrow")) return false;
    const chosen = rows.findIndex((row) => row.getAttribute("aria-current") === "true");
    return focus(rows[chosen === -1 ? 0 : Math.max(0, Math.min(rows.length - 1, chosen + by))] ?? null);
  }
  return focus(rows[Math.max(0, Math.min(rows.length - 1, at + by))] ?? null);
}

const keys: readonly (readonly [string, string])[] = [
  ["/", "Search"],
  ["j  k", "Next row, previous row"],
  ["Enter", "Open the row"],
  ["Esc", "Close what is open"],
  ["c", "Copy the request as curl"],
  ["r", "Send the request again"],
  ["p", "Pause, go on"],
  ["t", "Light, dark, as the system"],
  ["?", "This help"],
];

/** List of the keyboard shortcuts, with a switch that turns off shortcuts of a single key. */
export function ShortcutHelp(props: {
  readonly titles: Readonly<Record<View, string>>;
  readonly onClose: () => void;
}): JSX.Element {
  const chosen = useStore(shortcuts);
  return (
    <Dialog title="Keyboard shortcuts" onClose={props.onClose}>
      <dl class="keys">
        {views.map((view, index) => (
          <div key={view}>
            <dt>
              <kbd>{keyOf(index)}</kbd>
            </dt>
            <dd>{props.titles[view]}</dd>
          </div>
        ))}
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split("  ").map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={chosen === "on"}
          onChange={(event) => shortcuts.set(event.currentTarget.checked ? "on" : "off")}
        />
        Single keys are shortcuts
      </label>
    </Dialog>
  );
}
