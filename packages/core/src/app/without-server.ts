import type { ServerAdapter } from "@kit/types";

/** Server adapter for an application without a server. Requests reach the application only through `fetch`. */
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
