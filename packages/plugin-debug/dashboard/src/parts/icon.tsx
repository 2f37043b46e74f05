import type { JSX } from "preact";

/** SVG paths of the icons, by name. They are drawn as strokes in a view box of 16 by 16 units. */
const paths = {
  requests: "M2 4h9M2 8h12M2 12h6",
  streams: "M2 5h11M10.5 2.5 13 5l-2.5 2.5M14 11H3M5.5 8.5 3 11l2.5 2.5",
  errors: "M8 2.2 14.6 13.6H1.4zM8 6.4v3.2M8 11.6v.1",
  logs: "M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3",
  routes: "M4 2.8v10.4M4 6.5c0 3 8 1 8 4.2M12 13.2v-2.5M2.6 2.8h2.8M10.6 13.2h2.8",
  performance: "M2 13.5h12M3 10.5l3.2-4 2.6 2.4L13 3.5",
  health: "M1.5 8.5h3l1.8-4.5 3 8 1.9-3.5h3.3",
  types: "M5.5 2.5C3.5 2.5 4.5 7 2.5 8c2 1 1 5.5 3 5.5M10.5 2.5c2 0 1 4.5 3 5.5-2 1-1 5.5-3 5.5",
  jobs: "M2.5 4.5h11v9h-11zM5.5 4.5v-2h5v2M2.5 8.5h11M8 7.5v2",
  migrations: "M3 4c0-2 10-2 10 0s-10 2-10 0v8c0 2 10 2 10 0V4M3 8c0 2 10 2 10 0",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.4 10.4 14 14",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  check: "M3 8.5l3.2 3.2L13 4.8",
  replay: "M13 8a5 5 0 1 1-1.6-3.7M13.2 2v3h-3",
  close: "M4 4l8 8M12 4l-8 8",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3.2 12.5 8 5 12.8z",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M12.8 3.2l-1.1 1.1M4.3 11.7l-1.1 1.1",
  moon: "M13.2 9.8A5.8 5.8 0 0 1 6.2 2.8a5.8 5.8 0 1 0 7 7z",
  system: "M2 3h12v8.5H2zM5.5 14h5",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  back: "M9.5 3.5 5 8l4.5 4.5",
  keyboard: "M1.5 4h13v8h-13zM4 6.7v.1M6.6 6.7v.1M9.2 6.7v.1M11.8 6.7v.1M5 9.5h6",
  lock: "M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
} as const;

/** Name of an icon. */
export type IconName = keyof typeof paths;

/** Icon next to a text. It is hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
