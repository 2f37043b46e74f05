import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

import { go, type View, views } from "../state/place.ts";
import { shortcuts } from "../state/preferences.ts";
import { useStore } from "../state/store.ts";
import { Dialog } from "./dialog.tsx";

/** Listens for keys, wherever the focus is but where somebody types. */
export function useShortcuts(showHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      // The browser closes a dialog itself.
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

/** Whether the key means something. */
function act(key: string, showHelp: () => void): boolean {
  const view = views[Number(key) - 1];
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

/** From row to row. The arrows scroll the page where no row has the focus. */
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

/** The keys, and whether single letters count. */
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
              <kbd>{index + 1}</kbd>
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
