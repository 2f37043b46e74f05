import type { CompiledEnvironment, ValidationFailure } from "@kit/types";

import { loadEnvironment, checkVersion } from "./find-compiled.ts";
import { REDACTED } from "../codec/display-value.ts";
import { showStartErrors, StartError } from "./start-error.ts";

/** Maximum number of mistakes that an error lists. */
const MAX_LISTED = 1000;
/** Maximum number of characters of a wrong value that an error shows. */
const MAX_SHOWN = 40;

/** Options of {@link env}. */
export interface EnvOptions {
  /**
   * Default export of `.kit/environment.ts`. Needed only in a bundle, because `env` otherwise finds the module in the
   * project's directory.
   */
  readonly compiled?: CompiledEnvironment;
  /** Texts of the variables by name, by default `process.env`. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads environment variables into an object of the type `Variables`. `kit build` generates the code that converts and
 * checks them. Rejects with one error that lists all variables that are missing or wrong. The error does not show values
 * of variables with `@sensitive`.
 *
 * A variable that is empty counts as not set. Texts are converted as in a query: `"true"` and `"false"` become booleans,
 * and a list has commas between its items. Variables that the type does not declare are ignored.
 *
 * @example
 * ```ts
 * export interface AppEnv {
 *   // With the doc tags `@default 3000 @minimum 1 @maximum 65535`.
 *   PORT: number;
 * }
 *
 * export const environment = await env<AppEnv>();
 * environment.PORT; // 3000
 * ```
 */
export async function env<Variables extends object = never>(
  options: EnvOptions = {},
): Promise<Readonly<Variables>> {
  showStartErrors();
  const { compiled, variables = process.env } = options;
  const found =
    compiled === undefined
      ? await loadEnvironment()
      : checkVersion<CompiledEnvironment>(compiled, "the given `compiled`");
  return readVariables(found, variables) as Readonly<Variables>;
}

function readVariables(
  compiled: CompiledEnvironment,
  variables: Readonly<Record<string, string | undefined>>,
): unknown {
  const { source, validator } = compiled;
  const textOf = (name: string) => (Object.hasOwn(variables, name) && variables[name]) || undefined;
  const read = compiled.read(textOf);
  if (validator.is(read)) return Object.freeze(validator.decode(read));
  const mistakes = validator.failures(read, MAX_LISTED).map((failure) => {
    const name = /^\$\.(\w+)/.exec(failure.path)?.[1] ?? "";
    return mistake(failure, textOf(name));
  });
  throw new StartError({
    problem:
      mistakes.length === 1
        ? "an environment variable is not valid"
        : `${mistakes.length} environment variables are not valid`,
    locations: [...mistakes, `declared at ${source.file}:${source.line}`],
    help: "set the variables before the start; in development, write them into .env",
  });
}

/** Returns the line of the error message about one variable. */
function mistake(failure: ValidationFailure, text: string | undefined): string {
  const name = failure.path.slice("$.".length);
  if (text === undefined) return `- ${name} is not set: expected ${failure.expected}`;
  const isSensitive = failure.value === REDACTED;
  const received = isSensitive ? "a value that is not shown" : shown(text);
  const suggestion = failure.suggestion === undefined || isSensitive ? "" : `; ${failure.suggestion}`;
  return `- ${name}: expected ${failure.expected}; received ${received}${suggestion}`;
}

function shown(text: string): string {
  const characters = [...text];
  const cut = characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN).join("")}…` : text;
  return JSON.stringify(cut);
}
