/**
 * Runs a `kit` command with these arguments, and sets the exit code. Fails if this version of Node is too old.
 *
 * @example
 * ```ts
 * import { start } from "@kit/cli/start";
 *
 * start(["build", "--root", "examples/notes"]);
 * ```
 */
export function start(args: readonly string[]): void;
