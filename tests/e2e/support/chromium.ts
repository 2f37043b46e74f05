import { existsSync } from "node:fs";

/** Path of the browser Chromium: the environment variable `KIT_CHROMIUM`, or else one of the usual paths. */
export const chromiumPath: string | undefined = [
  process.env["KIT_CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path !== "" && existsSync(path));

/** Reason why tests in a browser are skipped. False if they run. */
export const withoutChromium: string | false =
  chromiumPath === undefined && "no Chromium; install it, or name one in KIT_CHROMIUM";
