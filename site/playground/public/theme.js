// Selects the theme before the page is shown. The pages of the documentation keep the choice of the user under the same key.
(() => {
  let choice = null;
  try {
    choice = localStorage.getItem("vitepress-theme-appearance");
  } catch {
    // The browser refuses to store data, so the theme of the system applies.
  }
  const isDark =
    choice === "dark" || (choice !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", isDark);
})();
