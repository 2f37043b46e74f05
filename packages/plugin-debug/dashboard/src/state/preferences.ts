import { createStore, type Store } from "./store.ts";

/** Colour theme: the one of the system, or a chosen one. */
export type Theme = "system" | "light" | "dark";

/** Creates a preference that is stored in the browser, if the browser permits that. */
function kept<T extends string>(name: string, values: readonly T[], otherwise: T): Store<T> {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(name);
  } catch {
    // Storage is not available.
  }
  const store = createStore<T>(values.find((value) => value === stored) ?? otherwise);
  store.subscribe(() => {
    try {
      localStorage.setItem(name, store.get());
    } catch {
      // Storage is not available, so the value is lost with the page.
    }
  });
  return store;
}

export const theme = kept<Theme>("kit-debug-theme", ["system", "light", "dark"], "system");
/** Single-key shortcuts can be turned off, because they conflict with speech input. */
export const shortcuts = kept<"on" | "off">("kit-debug-shortcuts", ["on", "off"], "on");

/** Applies the theme to the page, now and after changes. */
export function followTheme(): void {
  const apply = (): void => {
    document.documentElement.dataset["theme"] = theme.get();
  };
  apply();
  theme.subscribe(apply);
}

const isDark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

/** Returns true if the page is currently dark. */
export function looksDark(): boolean {
  return theme.get() === "system" ? isDark.matches : theme.get() === "dark";
}

/** Calls the listener when the result of {@link looksDark} may have changed. */
export function onLook(listener: () => void): () => void {
  isDark.addEventListener("change", listener);
  const leave = theme.subscribe(listener);
  return () => {
    isDark.removeEventListener("change", listener);
    leave();
  };
}
