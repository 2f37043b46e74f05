import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";

/** A tab of a list. */
export interface Tab {
  readonly id: string;
  readonly title: string;
  /** Text after the title, such as the number of errors. */
  readonly badge?: string | undefined;
}

/** List of tabs. The arrow keys, Home and End select another tab, as the ARIA pattern for tabs describes. */
export function Tabs({
  label,
  tabs,
  selected,
  panel,
  onSelect,
  children,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  /** Id of the element that shows the content. */
  readonly panel: string;
  readonly onSelect: (id: string) => void;
  /** Controls after the tabs. */
  readonly children?: ComponentChildren;
}): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ id }) => id === selected);
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: (at + tabs.length - 1) % tabs.length,
      ArrowRight: (at + 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onSelect(tabs[next]!.id);
    list.current!.querySelectorAll<HTMLButtonElement>("[role=tab]")[next]!.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list}>
        {tabs.map(({ id, title, badge }) => (
          <button
            type="button"
            key={id}
            role="tab"
            aria-selected={id === selected}
            aria-controls={panel}
            tabIndex={id === selected ? 0 : -1}
            onClick={() => onSelect(id)}
            onKeyDown={onKeyDown}
          >
            {title}
            {badge !== undefined && <span class="badge">{badge}</span>}
          </button>
        ))}
      </div>
      {children}
    </div>
  );
}
