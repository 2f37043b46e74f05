import type { ServerAdapter } from "@kit/types";

/** Server adapter of an application that is created without one. The application can only be called with `fetch`. */
export const withoutServer: ServerAdapter = {
  name: "fetch",
  platform: "fetch",
  listen: () =>
    Promise.reject(
      new TypeError(
        "createApp: the option `server` is missing; to listen, add a server such as `server: nativeServer()`",
      ),
    ),
  close: () => Promise.resolve(),
  getNativeServer: () => undefined,
};
