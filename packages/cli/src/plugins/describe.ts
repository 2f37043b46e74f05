import type { Plugin } from "./plugin.ts";

/**
 * Plugins as data: what the command needs to know of them. Their code stays here.
 *
 * @returns An entry for each plugin; null where a condition left one out.
 * @throws An `Error` for the user where something is no plugin.
 */
export function describePlugins(plugins: readonly unknown[]): unknown[] {
  return plugins.map((plugin, index) => {
    if (plugin === undefined || plugin === null || plugin === false) return null;
    const place = `plugins[${index}]`;
    if (typeof plugin !== "object") {
      const hint = typeof plugin === "function" ? "; call it, as in `plugins: [myPlugin()]`" : "";
      throw new Error(`\`${place}\` is a ${typeof plugin}, not a plugin${hint}`);
    }
    const { hooks, ...rest } = plugin as Partial<Plugin>;
    if (typeof hooks !== "object" || hooks === null) {
      throw new Error(
        `\`${place}.hooks\` must be an object of taps, such as \`{ emit({ addFile }) { … } }\``,
      );
    }
    return { ...rest, hooks: Object.fromEntries(stages(place, hooks)) };
  });
}

function* stages(place: string, hooks: object): Generator<[string, unknown]> {
  for (const [hook, tap] of Object.entries(hooks) as [string, unknown][]) {
    if (tap === undefined) continue;
    if (handlerOf(tap) === undefined) {
      throw new Error(
        `\`${place}.hooks.${hook}\` must be a function, or an object with a \`handler\` and a \`stage\``,
      );
    }
    yield [hook, typeof tap === "function" ? 0 : ((tap as { stage?: unknown }).stage ?? 0)];
  }
}

/** The function of a tap. */
export function handlerOf(tap: unknown): ((event: object) => unknown) | undefined {
  if (typeof tap === "function") return tap as (event: object) => unknown;
  if (typeof tap !== "object" || tap === null || !("handler" in tap)) return undefined;
  const { handler } = tap;
  return typeof handler === "function" ? (event) => handler.call(tap, event) as unknown : undefined;
}
