import { relative } from "node:path";
import { isMainThread } from "node:worker_threads";

import { explainUncaught } from "./explain-uncaught.ts";
import { type CodeLocation, syntaxPlace } from "./syntax-place.ts";

/** Advice to a user whose source has syntax that Node does not compile. */
export const syntaxAdvice =
  "write the code without this syntax (the option `erasableSyntaxOnly` of tsconfig.json finds each place), or run kit with NODE_OPTIONS=--experimental-transform-types";

const code = "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";

/**
 * Returns true for Node's error about syntax of TypeScript that is more than types: enums, parameter properties and namespaces with
 * values. Node removes types, and does not compile.
 */
export function isUnsupportedSyntax(error: unknown): error is Error & { readonly code: typeof code } {
  return error instanceof Error && (error as { readonly code?: unknown }).code === code;
}

/** Returns a message with the location of such syntax and with advice. Returns `undefined` for any other error. */
export function unsupportedSyntax(error: unknown): string | undefined {
  if (!isUnsupportedSyntax(error)) return undefined;
  return `${withPlace(`SyntaxError: ${error.message}`, syntaxPlace(error.stack ?? ""))}\nhelp: ${syntaxAdvice}`;
}

/** Adds a location to a message. Its path is relative to the working directory. */
export function withPlace(message: string, place: CodeLocation | undefined): string {
  if (place === undefined) return message;
  const { path, line, column } = place;
  const near = relative(process.cwd(), path);
  const shown = near.startsWith("..") ? path : near;
  return `${message}, at ${[shown, line, ...(column === 0 ? [] : [column])].join(":")}`;
}

/** Makes a process end with the message of {@link unsupportedSyntax}, in place of Node's own message, which has no advice. */
export function explainUnsupportedSyntax(): void {
  // A worker passes its error on to the thread that has started it.
  if (isMainThread) explainUncaught(unsupportedSyntax);
}
