import type { App } from "@kit/core";

/**
 * Returns the application that a module exports: the default export, or the only other export that is an
 * application.
 */
export function applicationOf(module: unknown): App {
  const exports = Object.entries(module as Record<string, unknown>);
  const found = new Set(exports.map(([, value]) => value).filter(isApp));
  const [app] = found;
  if (app !== undefined && found.size === 1) return app;
  if (found.size > 1)
    throw new Error(
      "The module that calls createApp exports several applications. Make the application to be tested its only export of this kind",
    );
  const names = exports.map(([name]) => name).join(", ") || "nothing";
  throw new Error(
    `The module that calls createApp exports no application. Its exports are ${names}. Write \`export const app = createApp({ … })\`, or set \`tests.app\` in kit.config.ts to another module`,
  );
}

function isApp(value: unknown): value is App {
  if (typeof value !== "object" || value === null) return false;
  return ["listen", "close", "service"].every((name) => typeof Reflect.get(value, name) === "function");
}
