import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

import { Icon } from "./icon.tsx";

/** Modal dialog. The browser keeps the focus in it, and restores the focus afterwards. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    // A click beside the dialog closes it, in browsers that support this attribute.
    element.current?.setAttribute("closedby", "any");
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={props.onClose}>
      <div class="dialog">
        <header>
          <h2 id={id}>{props.title}</h2>
          <button
            type="button"
            class="button small bare"
            aria-label="Close"
            onClick={() => element.current?.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
