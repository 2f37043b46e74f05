import DefaultTheme from "vitepress/theme";

// oxlint-disable-next-line import/no-unassigned-import
import "./style.css";

export default DefaultTheme;
