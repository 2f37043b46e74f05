import { existsSync } from "node:fs";

/** Where Chromium is: as `KIT_CHROMIUM` says, or where systems put it. */
export const chromiumPath: string | undefined = [
  process.env["KIT_CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path !== "" && existsSync(path));

/** Why tests in a browser are skipped; false where they are not. */
export const withoutChromium: string | false =
  chromiumPath === undefined && "no Chromium; install it, or name one in KIT_CHROMIUM";
