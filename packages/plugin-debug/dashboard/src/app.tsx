import type { JSX } from "preact";
import { lazy, Suspense } from "preact/compat";
import { useEffect, useState } from "preact/hooks";

import type { DashboardInfo } from "../../src/responses/shapes.ts";
import { announce, Announcer } from "./parts/announcer.tsx";
import { Empty, Loading } from "./parts/basic.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import { ShortcutHelp, useShortcuts } from "./parts/shortcuts.tsx";
import { debugKey } from "./state/api.ts";
import { hrefOf, keyOf, type Place, place, type View, views } from "./state/place.ts";
import { type Theme, theme } from "./state/preferences.ts";
import { isPaused, live, lock, session, trouble } from "./state/session.ts";
import { useStore } from "./state/store.ts";
import { count } from "./text/format.ts";
import { Errors } from "./views/errors.tsx";
import { KeyForm } from "./views/key.tsx";
import { Logs } from "./views/logs.tsx";
import { Requests } from "./views/requests.tsx";

// Loads all views except the first one on demand. The charts are the largest part of the code.
const Routes = lazy(async () => (await import("./views/routes.tsx")).Routes);
const Streams = lazy(async () => (await import("./views/streams.tsx")).Streams);
const Performance = lazy(async () => (await import("./views/performance.tsx")).Performance);
const HealthView = lazy(async () => (await import("./views/health.tsx")).HealthView);
const Types = lazy(async () => (await import("./views/types.tsx")).Types);
const JobsView = lazy(async () => (await import("./views/jobs.tsx")).JobsView);
const Migrations = lazy(async () => (await import("./views/migrations.tsx")).Migrations);

const titles: Readonly<Record<View, string>> = {
  requests: "Requests",
  streams: "Streams",
  errors: "Errors",
  logs: "Logs",
  routes: "Routes",
  performance: "Performance",
  health: "Health",
  types: "Types",
  migrations: "Migrations",
  jobs: "Jobs",
};

export function App(): JSX.Element {
  const current = useStore(session);
  return (
    <>
      {current.state === "ready" && <Shell info={current.info} />}
      {current.state === "locked" && <KeyForm problem={current.problem} />}
      {current.state === "starting" && <Starting />}
      <Announcer />
    </>
  );
}

function Starting(): JSX.Element {
  const problem = useStore(trouble);
  return (
    <main class="gate">
      {problem === null ? <Loading what="the dashboard" /> : <p role="alert">{problem}</p>}
    </main>
  );
}

function Shell({ info }: { readonly info: DashboardInfo }): JSX.Element {
  const at = useStore(place);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  useShortcuts(() => setHelpOpen(true));
  // Sets a performance mark that tests read: the main content is visible with the next frame.
  useEffect(() => {
    requestAnimationFrame(() => setTimeout(() => performance.mark("useful")));
  }, []);
  useAnnouncements();
  useEffect(() => {
    document.title = `${titles[at.view]} · ${info.application.name}`;
    setMenuOpen(false);
  }, [at.view, at.id]);
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header class="top">
        <button
          type="button"
          class="button small bare menu-button"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name="menu" />
        </button>
        <span class="application">{info.application.name}</span>
        <span class={`badge ${info.mode === "production" ? "s5" : "quiet"}`}>{info.mode}</span>
        <Pulse />
        <span class="spring" />
        {debugKey.get() !== null && (
          <button
            type="button"
            class="button small bare"
            onClick={lock}
            aria-label="Forget the key"
            title="Forget the key"
          >
            <Icon name="lock" />
          </button>
        )}
        <button
          type="button"
          class="button small bare"
          onClick={() => setHelpOpen(true)}
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
        >
          <Icon name="keyboard" />
        </button>
        <ThemeButton />
      </header>
      <nav id="navigation" class={isMenuOpen ? "nav open" : "nav"} aria-label="Parts of the dashboard">
        <ul>
          {views.map((view, index) =>
            info.absent[view] === undefined ? (
              <li key={view}>
                <a href={hrefOf({ view })} aria-current={at.view === view ? "page" : undefined}>
                  <Icon name={view as IconName} />
                  <span>{titles[view]}</span>
                  <kbd aria-hidden="true">{keyOf(index)}</kbd>
                </a>
              </li>
            ) : null,
          )}
        </ul>
      </nav>
      <main id="main" class="main" tabIndex={-1}>
        <Trouble />
        <h1 class="offscreen">{titles[at.view]}</h1>
        <Suspense fallback={<Loading what={titles[at.view].toLowerCase()} />}>
          {info.absent[at.view] === undefined ? (
            <CurrentView at={at} />
          ) : (
            <Empty title="This server does not have this view">{info.absent[at.view]}</Empty>
          )}
        </Suspense>
      </main>
      {isHelpOpen && <ShortcutHelp titles={titles} onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

/** Moves only the keyboard focus. A normal link to `#main` would replace the part of the address after `#`, which names the view. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
}

function CurrentView({ at }: { readonly at: Place }): JSX.Element {
  switch (at.view) {
    case "requests":
      return <Requests place={at} />;
    case "streams":
      return <Streams place={at} />;
    case "errors":
      return <Errors place={at} />;
    case "logs":
      return <Logs place={at} />;
    case "routes":
      return <Routes place={at} />;
    case "performance":
      return <Performance place={at} />;
    case "health":
      return <HealthView />;
    case "types":
      return <Types place={at} />;
    case "migrations":
      return <Migrations />;
    case "jobs":
      return <JobsView />;
  }
}

/** Indicator that shows whether the data on the page is current. */
function Pulse(): JSX.Element {
  const problem = useStore(trouble);
  const paused = useStore(isPaused);
  const state = problem !== null ? "lost" : paused ? "paused" : "live";
  return (
    <span class={`pulse ${state}`} data-pulse={state}>
      {state}
    </span>
  );
}

function Trouble(): JSX.Element | null {
  const problem = useStore(trouble);
  if (problem === null) return null;
  return (
    <p class="trouble" role="alert">
      {problem}
    </p>
  );
}

const themes: readonly (readonly [Theme, IconName, string])[] = [
  ["system", "system", "as the system"],
  ["light", "sun", "light"],
  ["dark", "moon", "dark"],
];

function ThemeButton(): JSX.Element {
  const chosen = useStore(theme);
  const index = themes.findIndex(([name]) => name === chosen);
  const [, icon, words] = themes[index]!;
  const next = themes[(index + 1) % themes.length]!;
  return (
    <button
      type="button"
      class="button small bare"
      data-shortcut="t"
      aria-label={`Theme: ${words}. Change to ${next[2]}`}
      title={`Theme: ${words} (t)`}
      onClick={() => theme.set(next[0])}
    >
      <Icon name={icon} />
    </button>
  );
}

const quietMs = 10_000;

/** Tells screen readers about new requests, at most once in ten seconds, and about a lost or restored connection. */
function useAnnouncements(): void {
  useEffect(() => {
    // Ids of finished requests. A request in progress is announced when it finishes.
    const endedIds = (): string[] =>
      live.get().requests.flatMap(({ requestId, isActive }) => (isActive ? [] : [requestId]));
    let known = new Set(endedIds());
    let saidAt = -Infinity;
    const leaveLive = live.subscribe(() => {
      if (Date.now() - saidAt < quietMs) return;
      const ids = endedIds();
      const fresh = ids.filter((id) => !known.has(id)).length;
      known = new Set(ids);
      if (fresh === 0) return;
      saidAt = Date.now();
      announce(fresh === 1 ? "1 new request" : `${count(fresh)} new requests`);
    });
    let wasLost = false;
    const leaveTrouble = trouble.subscribe(() => {
      const isLost = trouble.get() !== null;
      if (wasLost && !isLost) announce("The connection is back");
      wasLost = isLost;
    });
    return () => {
      leaveLive();
      leaveTrouble();
    };
  }, []);
}
