import { createStore, type Store } from "./store.ts";

/** Colour theme. `system` uses the theme of the operating system. */
export type Theme = "system" | "light" | "dark";

/** Creates a preference. It is stored in the browser if the browser permits that. */
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
/** Setting of the shortcuts that are a single key. Users of speech input turn them off, because spoken words would trigger them. */
export const shortcuts = kept<"on" | "off">("kit-debug-shortcuts", ["on", "off"], "on");

/** Applies the colour theme to the page, now and whenever it changes. */
export function followTheme(): void {
  const apply = (): void => {
    document.documentElement.dataset["theme"] = theme.get();
  };
  apply();
  theme.subscribe(apply);
}

const isDark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

/** Returns true if the page currently has dark colours. */
export function looksDark(): boolean {
  return theme.get() === "system" ? isDark.matches : theme.get() === "dark";
}

/** Calls the listener whenever the result of {@link looksDark} may have changed. */
export function onLook(listener: () => void): () => void {
  isDark.addEventListener("change", listener);
  const leave = theme.subscribe(listener);
  return () => {
    isDark.removeEventListener("change", listener);
    leave();
  };
}
