import type { JSX } from "preact";

import type { Files, Mistake } from "../compiler/messages.ts";
import { rangeOf } from "../compiler/positions.ts";
import { pageOf, type Target } from "./places.ts";

/** List of mistakes that the last build found. A click leads to the place of a mistake. */
export function Problems({
  label,
  mistakes,
  files,
  onGo,
}: {
  readonly label: string;
  readonly mistakes: readonly Mistake[];
  /** Files in which the compiler found the mistakes. */
  readonly files: Files;
  readonly onGo: (target: Target) => void;
}): JSX.Element {
  return (
    <ul class="problems" aria-label={label}>
      {mistakes.map((mistake, index) => (
        <Problem key={index} mistake={mistake} files={files} onGo={onGo} />
      ))}
    </ul>
  );
}

function Problem({
  mistake,
  files,
  onGo,
}: {
  readonly mistake: Mistake;
  readonly files: Files;
  readonly onGo: (target: Target) => void;
}): JSX.Element {
  const { code, isError, message, help, place } = mistake;
  const text = place === null ? undefined : files.get(place.path);
  return (
    <li class={isError ? "problem error" : "problem warning"}>
      <span class="mark" role="img" aria-label={isError ? "Error" : "Warning"} />
      <div>
        <p>{message}</p>
        {help !== null && <p class="help">{help}</p>}
      </div>
      <span class="where">
        {place !== null && text !== undefined && (
          <button
            type="button"
            class="link"
            onClick={() => onGo({ path: place.path, offset: rangeOf(text, place).from })}
          >
            {place.path.replace(/^src\//, "")}
            {place.line > 0 && `:${place.line}:${place.column}`}
          </button>
        )}
        {code !== null && (
          <a href={pageOf(code)} target="_blank">
            {code}
          </a>
        )}
      </span>
    </li>
  );
}
