import { createStore, type Store } from "./store.ts";

/** How the page looks: as the system does, or as somebody chose. */
export type Theme = "system" | "light" | "dark";

/** A choice that outlasts the page, where the browser lets it. */
function kept<T extends string>(name: string, values: readonly T[], otherwise: T): Store<T> {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(name);
  } catch {
    // Storage is off.
  }
  const store = createStore<T>(values.find((value) => value === stored) ?? otherwise);
  store.subscribe(() => {
    try {
      localStorage.setItem(name, store.get());
    } catch {
      // It holds for this page.
    }
  });
  return store;
}

export const theme = kept<Theme>("kit-debug-theme", ["system", "light", "dark"], "system");
/** Single letters are in the way of some who speak to their computer. */
export const shortcuts = kept<"on" | "off">("kit-debug-shortcuts", ["on", "off"], "on");

/** Has the page follow the choice. */
export function followTheme(): void {
  const apply = (): void => {
    document.documentElement.dataset["theme"] = theme.get();
  };
  apply();
  theme.subscribe(apply);
}

const isDark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

/** Whether the page is dark at present. */
export function looksDark(): boolean {
  return theme.get() === "system" ? isDark.matches : theme.get() === "dark";
}

/** Calls whenever {@link looksDark} may have changed. */
export function onLook(listener: () => void): () => void {
  isDark.addEventListener("change", listener);
  const leave = theme.subscribe(listener);
  return () => {
    isDark.removeEventListener("change", listener);
    leave();
  };
}
