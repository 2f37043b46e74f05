import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { Mistake } from "./compiler/messages.ts";
import { CopyButton } from "./parts/copy-button.tsx";
import { Icon } from "./parts/icons.tsx";
import type { Target } from "./parts/places.ts";
import { Problems } from "./parts/problems.tsx";
import { Results } from "./parts/results.tsx";
import { Sources } from "./parts/sources.tsx";
import { Splitter } from "./parts/splitter.tsx";
import type { Opened } from "./state/address.ts";
import { examples } from "./state/examples.ts";
import { isDark, toggleTheme } from "./state/theme.ts";
import { type Builds, type Loading, succeeded, useBuilds } from "./state/use-builds.ts";
import { type Project, useProject } from "./state/use-project.ts";

export function App({ opened }: { readonly opened: Opened }): JSX.Element {
  const project = useProject(opened);
  const builds = useBuilds(project.files);
  const [target, setTarget] = useState<Target | undefined>(undefined);
  const outcome = builds.last?.outcome;
  const mistakes = outcome?.kind === "built" ? outcome.answer.diagnostics : [];
  const go = (next: Target): void => {
    project.select(next.path);
    setTarget(next);
  };
  useEffect(() => {
    // Tests and people who measure the page read this mark.
    if (builds.last !== undefined) performance.mark("useful");
  }, [builds.last]);
  return (
    <>
      <Header project={project} />
      {project.notice !== undefined && (
        <div class="notice" role="alert">
          <p>{project.notice}</p>
          <button type="button" class="icon-button" onClick={project.dismiss} title="Close the message">
            <Icon name="close" />
            <span class="hidden">Close the message</span>
          </button>
        </div>
      )}
      <main>
        <section class="side" aria-label="Types">
          <Sources
            files={project.files}
            path={project.path}
            project={project.number}
            mistakes={mistakes}
            checked={builds.last?.files}
            target={target}
            onSelect={project.select}
            onChange={project.change}
            onAdd={project.add}
            onRemove={project.remove}
          />
          {mistakes.length > 0 && (
            <Problems label="Problems" mistakes={mistakes} files={builds.last!.files} onGo={go} />
          )}
          <Status builds={builds} mistakes={mistakes} />
        </section>
        <Splitter />
        <section class="side" aria-label="Generated files">
          {builds.built === undefined ? (
            <Waiting builds={builds} />
          ) : (
            <Results
              built={builds.built}
              isOutdated={outcome !== undefined && !succeeded(outcome)}
              onGo={go}
            />
          )}
        </section>
      </main>
    </>
  );
}

function Header({ project }: { readonly project: Project }): JSX.Element {
  const [dark, setDark] = useState(isDark());
  const themeLabel = dark ? "Use the light theme" : "Use the dark theme";
  return (
    <header>
      <a class="name" href="../index.html">
        kit
      </a>
      <h1>Playground</h1>
      <label class="hidden" htmlFor="example">
        Example
      </label>
      <select
        id="example"
        value={project.example ?? ""}
        onChange={(event) => project.openExample(event.currentTarget.value)}
      >
        {project.example === undefined && (
          <option value="" disabled>
            Examples
          </option>
        )}
        {examples.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      <span class="space" />
      <CopyButton
        icon="link"
        label="Share"
        done="Link copied"
        refused="Copy the address"
        read={project.link}
      />
      <button type="button" class="icon-button" onClick={() => setDark(toggleTheme())} title={themeLabel}>
        <Icon name={dark ? "sun" : "moon"} />
        <span class="hidden">{themeLabel}</span>
      </button>
      <a class="guide" href="../guide/playground.html">
        Guide
      </a>
      <a class="guide" href="licenses.txt">
        Licences
      </a>
    </header>
  );
}

/** Line below the types: the state of the compiler, and the number of mistakes. */
function Status({
  builds,
  mistakes,
}: {
  readonly builds: Builds;
  readonly mistakes: readonly Mistake[];
}): JSX.Element {
  const { loading, last, isBuilding } = builds;
  const errors = mistakes.filter(({ isError }) => isError).length;
  let kind = "busy";
  let text = "Building …";
  if (loading.kind === "loading") text = "Loading the compiler …";
  else if (loading.kind === "failed") [kind, text] = ["error", "The compiler is not loaded"];
  else if (last !== undefined && last.outcome.kind === "failed")
    [kind, text] = ["error", last.outcome.message];
  else if (last?.outcome.kind === "built") {
    kind = errors > 0 ? "error" : "good";
    const warnings = mistakes.length - errors;
    const found = [
      ...(errors > 0 ? [count(errors, "error")] : []),
      ...(warnings > 0 ? [count(warnings, "warning")] : []),
    ];
    text = `${found.join(", ") || "No problems"} · ${Math.round(last.outcome.milliseconds)} ms`;
  }
  return (
    <p class={`status ${kind}`} role="status" data-building={isBuilding}>
      {text}
    </p>
  );
}

function count(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? "" : "s"}`;
}

/** Content of the right side before the first build without errors. */
function Waiting({ builds }: { readonly builds: Builds }): JSX.Element {
  const { loading, last, retry } = builds;
  if (loading.kind === "failed") {
    return (
      <div class="waiting" role="alert">
        <p>{loading.message}</p>
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      </div>
    );
  }
  if (loading.kind === "loading") return <Progress loading={loading} />;
  if (last === undefined) return <p class="waiting">Building …</p>;
  if (last.outcome.kind === "failed") return <p class="waiting">{last.outcome.message}</p>;
  return <p class="waiting">kit generates files as soon as the types have no errors.</p>;
}

function Progress({ loading }: { readonly loading: Extract<Loading, { kind: "loading" }> }): JSX.Element {
  const megabytes = (COMPILER_BYTES / 1e6).toFixed(1);
  return (
    <div class="waiting">
      <label htmlFor="progress">Loading the compiler, {megabytes} MB</label>
      <progress id="progress" max={1} value={loading.part} />
    </div>
  );
}
