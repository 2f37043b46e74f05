import { existsSync } from "node:fs";

/** Path of Chromium: from `KIT_CHROMIUM`, or from the usual locations. */
export const chromiumPath: string | undefined = [
  process.env["KIT_CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path !== "" && existsSync(path));

/** Reason for skipping tests in a browser, or false to run them. */
export const withoutChromium: string | false =
  chromiumPath === undefined && "no Chromium; install it, or name one in KIT_CHROMIUM";
