import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { ApiFailure } from "../state/api.ts";
import { copy } from "../text/copy.ts";
import { announce } from "./announcer.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** A status with its colour; its number says the same without. */
export function Status({
  status,
  isActive = false,
}: {
  readonly status: number;
  readonly isActive?: boolean;
}): JSX.Element {
  if (isActive) return <span class="badge active">active</span>;
  return <span class={`badge s${Math.floor(status / 100)}`}>{status === 0 ? "–" : status}</span>;
}

const tones: Readonly<Record<string, string>> = {
  trace: "quiet",
  debug: "quiet",
  info: "s3",
  warn: "s4",
  error: "s5",
  fatal: "s5",
  safe: "s2",
  locks: "s4",
  needsData: "s4",
  destructive: "s5",
};

/** A word with a colour of its own: a level, a judgement. */
export function Tag({ word, label = word }: { readonly word: string; readonly label?: string }): JSX.Element {
  return <span class={`badge ${tones[word] ?? "quiet"}`}>{label}</span>;
}

/** What stands where there is nothing, and what to do about that. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      {props.children !== undefined && <p>{props.children}</p>}
    </div>
  );
}

/** Stands until the first answer is there. It shows itself only where that takes long. */
export function Loading({ what }: { readonly what: string }): JSX.Element {
  return (
    <p class="loading" role="status">
      Loading {what}…
    </p>
  );
}

/** Why something cannot be shown. */
export function Failure({ failure }: { readonly failure: ApiFailure }): JSX.Element {
  return (
    <div class="failure" role="alert">
      <p class="empty-title">{failure.status === 0 ? "No answer" : failure.code}</p>
      <p>{failure.message}.</p>
    </div>
  );
}

interface CopyButtonProps {
  readonly text: () => string;
  readonly label: string;
  /** Shown as a picture alone. */
  readonly isSmall?: boolean;
  readonly icon?: IconName;
  readonly shortcut?: string;
}

/** Copies a text, and says whether that worked. */
export function CopyButton({
  text,
  label,
  isSmall = false,
  icon = "copy",
  shortcut,
}: CopyButtonProps): JSX.Element {
  const [said, setSaid] = useState<"copied" | "failed" | null>(null);
  useEffect(() => {
    if (said === null) return undefined;
    const timer = setTimeout(() => setSaid(null), 2_000);
    return () => clearTimeout(timer);
  }, [said]);
  const onClick = async (): Promise<void> => {
    const isDone = await copy(text());
    setSaid(isDone ? "copied" : "failed");
    announce(isDone ? `${label}: copied` : `${label}: the browser refuses to copy`);
  };
  const shown = said === "copied" ? "Copied" : said === "failed" ? "Not copied" : label;
  return (
    <button
      type="button"
      class={isSmall ? "button small bare" : "button"}
      onClick={() => void onClick()}
      aria-label={isSmall ? label : undefined}
      title={isSmall ? shown : undefined}
      data-shortcut={shortcut}
    >
      <Icon name={said === "copied" ? "check" : icon} />
      {!isSmall && <span>{shown}</span>}
    </button>
  );
}

/** Names and values, one below the other. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [string, ComponentChildren])[];
}): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A part of a page with its heading. */
export function Section(props: {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="section">
      <h3>
        {props.title}
        {props.note !== undefined && <span class="note">{props.note}</span>}
      </h3>
      {props.children}
    </section>
  );
}

/** A text of a program or of data as it is. It can be scrolled, and so reached with the keyboard. */
export function Pre({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <pre class="pre" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

/** A field that narrows a list. `/` leads to it. */
export function Search(props: {
  readonly value: string;
  readonly label: string;
  readonly onInput: (value: string) => void;
}): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  return (
    <div class="search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        data-search
        value={props.value}
        placeholder={props.label}
        aria-label={props.label}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}

/** A choice among a few. */
export function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}): JSX.Element {
  return (
    <label class="choice">
      <span class="offscreen">{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
