/** Key under which the pages of the documentation keep the theme: `light`, `dark`, or `auto` for the theme of the system. */
const KEY = "vitepress-theme-appearance";

/** Returns true if the page is dark. `public/theme.js` selects the theme at the start. */
export function isDark(): boolean {
  return document.documentElement.classList.contains("dark");
}

/** Changes to the other theme, and keeps the choice for all pages of the site. */
export function toggleTheme(): boolean {
  const dark = !isDark();
  document.documentElement.classList.toggle("dark", dark);
  const isOfSystem = matchMedia("(prefers-color-scheme: dark)").matches === dark;
  try {
    localStorage.setItem(KEY, isOfSystem ? "auto" : dark ? "dark" : "light");
  } catch {
    // The browser refuses to store data. The choice applies until the page is closed.
  }
  return dark;
}
