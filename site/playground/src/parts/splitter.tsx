import type { JSX } from "preact";
import { useState } from "preact/hooks";

/** Smallest and largest share of the left side, in percent. */
const [SMALLEST, LARGEST] = [20, 80];

/** Separator between the two sides. Pointers drag it, and the arrow keys move it. */
export function Splitter(): JSX.Element {
  const [share, setShare] = useState(45);
  const move = (next: number): void => {
    const bounded = Math.round(Math.min(LARGEST, Math.max(SMALLEST, next)));
    setShare(bounded);
    document.documentElement.style.setProperty("--share", `${bounded}%`);
  };
  return (
    <div
      class="splitter"
      role="separator"
      aria-label="Share of the types"
      aria-orientation="vertical"
      aria-valuenow={share}
      aria-valuemin={SMALLEST}
      aria-valuemax={LARGEST}
      tabIndex={0}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        move(share + step);
      }}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) move((100 * event.clientX) / innerWidth);
      }}
    />
  );
}
