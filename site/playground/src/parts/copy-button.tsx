import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { Icon } from "./icons.tsx";

/** Button that copies a text, and says for two seconds if the browser did so. */
export function CopyButton({
  icon,
  label,
  done,
  refused,
  read,
}: {
  readonly icon: "copy" | "link";
  readonly label: string;
  /** Text of the button after a copy. */
  readonly done: string;
  /** Text of the button if the browser does not allow a copy. */
  readonly refused: string;
  /** Returns the text to copy, or `undefined` if there is none. The function tells the user the reason. */
  readonly read: () => Promise<string | undefined>;
}): JSX.Element {
  const [result, setResult] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (result === undefined) return undefined;
    const timer = setTimeout(() => setResult(undefined), 2000);
    return () => clearTimeout(timer);
  }, [result]);
  const onClick = async (): Promise<void> => {
    const text = await read();
    if (text === undefined) return;
    try {
      await navigator.clipboard.writeText(text);
      setResult(done);
    } catch {
      setResult(refused);
    }
  };
  return (
    <button type="button" class="button" onClick={() => void onClick()}>
      <Icon name={result === done ? "check" : icon} />
      <span aria-live="polite">{result ?? label}</span>
    </button>
  );
}
