import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { ApiFailure } from "../state/api.ts";
import { copy } from "../text/copy.ts";
import { announce } from "./announcer.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** Status of a request with its colour. The number has the same meaning without the colour. */
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

/** Word in a colour that depends on it, such as a log level or the class of a change. */
export function Tag({ word, label = word }: { readonly word: string; readonly label?: string }): JSX.Element {
  return <span class={`badge ${tones[word] ?? "quiet"}`}>{label}</span>;
}

/** Message for an empty list, with advice. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      {props.children !== undefined && <p>{props.children}</p>}
    </div>
  );
}

/** Message that is shown until the first response arrives. CSS shows it only after a delay. */
export function Loading({ what }: { readonly what: string }): JSX.Element {
  return (
    <p class="loading" role="status">
      Loading {what}…
    </p>
  );
}

/** Message for a failed request to the sidecar. */
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
  /** True to show only the icon. */
  readonly isSmall?: boolean;
  readonly icon?: IconName;
  readonly shortcut?: string;
}

/** Button that copies a text and reports the result. */
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

/** List of facts: names with their values. */
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

/** Section of a page with its heading. */
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

/** Preformatted text. It can get the keyboard focus, because keyboard users must be able to scroll it. */
export function Pre({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <pre class="pre" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

/** Search field of a list. The key `/` moves the focus to it. */
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

/** Drop-down list. */
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
