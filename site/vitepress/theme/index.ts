// The fonts of the system: the theme's own font is 400 KB, and needs a licence beside the site.
import DefaultTheme from "vitepress/theme-without-fonts";

// oxlint-disable-next-line import/no-unassigned-import
import "./style.css";

export default DefaultTheme;
