import type { Plugin } from "./plugins/plugin.ts";

/**
 * Description of a mistake in the configuration. The message continues a sentence that begins with the path of the value: `plugins[0]` …
 * `has no hooks`.
 */
interface Wrong {
  readonly wrong: { readonly message: string; readonly help: string };
}

/**
 * Converts plugins to data that the compiler, a program in Rust, can read. Their functions stay in this process. A value that is not a
 * plugin becomes the description of a mistake, which the compiler reports with the path of the value.
 *
 * @returns An entry for each plugin. `null` for a value that a condition left out, such as `isProduction &&
 *   plugin`.
 */
export function describePlugins(plugins: readonly unknown[]): unknown[] {
  return plugins.map(describe);
}

function describe(plugin: unknown): unknown {
  if (plugin === undefined || plugin === null || plugin === false) return null;
  if (typeof plugin === "function")
    return wrong("is a function, not a plugin", "call the function, as in `plugins: [myPlugin()]`");
  if (plugin instanceof Promise)
    return wrong("is a promise, not a plugin", "await the promise, as in `plugins: [await myPlugin()]`");
  const help = 'write `{ name: "my-plugin", hooks: { emit({ addFile }) { … } } }`';
  if (typeof plugin !== "object") return wrong(`is a ${typeof plugin}, not a plugin`, help);
  const { hooks, ...rest } = plugin as Partial<Plugin>;
  if (typeof hooks !== "object" || hooks === null) return wrong("has no `hooks`", help);
  const taps = Object.entries(hooks).flatMap(([hook, tap]: [string, unknown]) =>
    tap === undefined ? [] : [[hook, stage(tap)]],
  );
  return { ...rest, hooks: Object.fromEntries(taps) as object };
}

/** Returns the stage of a plugin's function for a hook, or the description of a mistake. */
function stage(tap: unknown): unknown {
  if (handlerOf(tap) === undefined)
    return wrong(
      "must be a function, or an object with a `handler`",
      "write `emit({ addFile }) { … }`, or `emit: { stage: 10, handler({ addFile }) { … } }`",
    );
  const { timeout } = tap as { timeout?: unknown };
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0))
    return wrong(
      "has a `timeout` that is not a number of seconds",
      "write `timeout: 600`, or remove `timeout`",
    );
  return typeof tap === "function" ? 0 : ((tap as { stage?: unknown }).stage ?? 0);
}

function wrong(message: string, help: string): Wrong {
  return { wrong: { message, help } };
}

/**
 * Returns the function in the value of a hook: the value itself, or its property `handler`. Returns
 * `undefined` if the value contains no function.
 */
export function handlerOf(tap: unknown): ((event: object) => unknown) | undefined {
  if (typeof tap === "function") return tap as (event: object) => unknown;
  if (typeof tap !== "object" || tap === null || !("handler" in tap)) return undefined;
  const { handler } = tap;
  return typeof handler === "function" ? (event) => handler.call(tap, event) as unknown : undefined;
}
