import type { JSX } from "preact";

import type {
  Performance as Answer,
  RouteFigures,
  ShownRoute,
  SourceLines,
} from "../../../src/responses/shapes.ts";
import { Empty, Facts, Failure, Loading, Search, Section } from "../parts/basic.tsx";
import { Icon } from "../parts/icon.tsx";
import { Source } from "../parts/source.tsx";
import { query } from "../state/api.ts";
import { go, hrefOf, type Place } from "../state/place.ts";
import { session } from "../state/session.ts";
import { useStore } from "../state/store.ts";
import { useSidecarData } from "../state/use-sidecar-data.ts";
import { definitionOf, registeredAt } from "../text/definition.ts";
import { count, duration } from "../text/format.ts";
import { scopesText } from "../text/scopes.ts";
import { LatencyCharts } from "./latency.tsx";

interface Middleware {
  readonly name: string;
  readonly priority: number | null;
  readonly type: string;
  readonly file?: string;
  readonly line?: number;
}

/** List of routes, or one of them in detail. */
export function Routes({ place }: { readonly place: Place }): JSX.Element {
  const { value, failure } = useSidecarData<{ routes: readonly ShownRoute[] }>("routes");
  const { value: performance } = useSidecarData<Answer>("performance?window=1h", 5_000);
  if (value === undefined)
    return failure === undefined ? <Loading what="routes" /> : <Failure failure={failure} />;
  const { routes } = value;
  if (place.id !== null) {
    const route = routes.find(({ ref }) => ref === place.id);
    if (route !== undefined) return <RoutePage route={route} />;
  }
  const { q = "" } = place.query;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = routes.filter(({ ref, group, middleware, scopes }) => {
    const text = `${ref} ${group} ${middleware.join(" ")} ${scopes.flat().join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const figures = new Map(performance?.routes?.map((row) => [row.route, row]));
  return (
    <>
      <search class="toolbar" aria-label="Filter routes">
        <Search
          value={q}
          label="Path, group, middleware, scope"
          onInput={(text) => go({ ...place, query: { q: text } }, "replace")}
        />
        <span class="counted">{count(shown.length)} routes</span>
      </search>
      {place.id !== null && <p class="hint">There is no route {place.id}.</p>}
      {routes.length === 0 && (
        <Empty title="There are no routes">Contracts become routes at `kit build`.</Empty>
      )}
      <ul class="rows route-rows" aria-label="Routes">
        {shown.map((route) => (
          <RouteRow key={route.ref} route={route} figures={figures.get(route.ref)} />
        ))}
      </ul>
    </>
  );
}

function RouteRow({
  route,
  figures,
}: {
  readonly route: ShownRoute;
  readonly figures: RouteFigures | undefined;
}): JSX.Element {
  const { ref, method, path, middleware, validators, scopes } = route;
  const takes = Object.entries(validators).map(([slot, type]) => `${slot} ${type}`);
  return (
    <li>
      <a class="row route-row" href={hrefOf({ view: "routes", id: ref })} data-row>
        <span class="method">{method}</span>
        <span class="target">
          <span class="path">{path}</span>
          <span class="muted small-text">
            {takes.join(", ") || "takes nothing"} → {answerText(route)}
            {scopes.length > 0 && `, needs ${scopesText(scopes)}`}
          </span>
        </span>
        <span class="chips">
          {middleware.map((name) => (
            <span key={name} class="chip">
              {name}
            </span>
          ))}
        </span>
        <span class="numeric muted">
          {figures === undefined ? (
            "no requests in 1 h"
          ) : (
            <>
              {count(figures.count)} × {duration(figures.p50)}
            </>
          )}
        </span>
      </a>
    </li>
  );
}

function answerText({ replies, serializer }: ShownRoute): string {
  if (replies.length === 0) return serializer ?? "nothing";
  return replies.map(({ status, body }) => (body === null ? `${status}` : `${status} ${body}`)).join(", ");
}

function RoutePage({ route }: { readonly route: ShownRoute }): JSX.Element {
  const { ref, method, path, middleware, validators, scopes, status, group, handler, contract, tests } =
    route;
  const { value: known } = useSidecarData<{ middleware: readonly Middleware[] }>("middleware");
  const chain = middleware.map((name) => known?.middleware.find((other) => other.name === name) ?? { name });
  return (
    <article class="page">
      <a class="button small bare" href={hrefOf({ view: "routes" })} data-close>
        <Icon name="back" />
        <span>All routes</span>
      </a>
      <h2 class="page-title">
        <span class="method">{method}</span> <span class="path">{path}</span>
      </h2>
      <div class="actions">
        <a class="button" href={hrefOf({ view: "requests", query: { route: ref } })}>
          <Icon name="requests" />
          <span>Its requests</span>
        </a>
      </div>
      <Facts
        facts={[
          ["Group", <span class="mono">{group}</span>],
          ...(scopes.length === 0
            ? []
            : [["Scopes", <span class="mono">{scopesText(scopes)}</span>] as const]),
          ["Success", <span class="mono">{status}</span>],
          ...Object.entries(validators).map(
            ([slot, type]) =>
              [slot.charAt(0).toUpperCase() + slot.slice(1), <TypeLink name={type} />] as const,
          ),
          ...answersOf(route),
          ...(tests.length === 0 ? [] : [["Tests", <span class="mono">{tests.join(", ")}</span>] as const]),
        ]}
      />
      <Section title="Latency" note="last hour">
        <LatencyCharts route={ref} window="1h" />
      </Section>
      <Section title="Contract">
        <Source {...contract} extent="declaration" label={`The contract of ${ref}`} />
      </Section>
      <Section title="Middleware" note={`${chain.length} before the handler`}>
        {chain.length === 0 && <p class="muted">Nothing runs before the handler.</p>}
        {chain.map((one) => (
          <MiddlewareSource key={one.name} middleware={one} />
        ))}
      </Section>
      <Section title="Handler" note={handler?.export}>
        {handler === null ? (
          <p class="muted">The application could not be read, so nobody knows where its handler is.</p>
        ) : (
          <Source
            file={handler.file}
            line={handler.line}
            extent="declaration"
            label={`The handler of ${ref}`}
          />
        )}
      </Section>
    </article>
  );
}

/** Returns the facts about what a route answers: its replies or its response, and the details of its errors. */
function answersOf({ replies, serializer, details }: ShownRoute): (readonly [string, JSX.Element])[] {
  const answers: (readonly [string, JSX.Element])[] =
    replies.length === 0
      ? [["Response", <TypeOrNothing name={serializer} />]]
      : replies.map(({ status, body, headers }) => [
          `Reply ${status}`,
          <>
            <TypeOrNothing name={body} />
            {headers !== null && (
              <>
                {" with headers "}
                <TypeLink name={headers} />
              </>
            )}
          </>,
        ]);
  const errors = Object.entries(details).map(
    ([code, name]) => [`Error ${code}`, <TypeLink name={name} />] as const,
  );
  return [...answers, ...errors];
}

function TypeOrNothing({ name }: { readonly name: string | null }): JSX.Element {
  return name === null ? <span class="muted">nothing</span> : <TypeLink name={name} />;
}

function MiddlewareSource({
  middleware,
}: {
  readonly middleware: Partial<Middleware> & { readonly name: string };
}): JSX.Element {
  const { name, priority, file, line } = middleware;
  return (
    <div class="middleware-source">
      <p>
        <span class="mono strong">{name}</span>
        {priority !== undefined && priority !== null && <span class="muted"> priority {priority}</span>}
      </p>
      {file !== undefined && <Registered name={name} file={file} line={line ?? 1} />}
    </div>
  );
}

/** Source code of a middleware function. If it cannot be found, the location of its registration. */
function Registered(props: {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}): JSX.Element {
  const { name, file, line } = props;
  const current = useStore(session);
  const isDevelopment = current.state === "ready" && current.info.mode === "development";
  const registration = useSidecarData<SourceLines>(isDevelopment ? topOf(file) : null);
  const lines = registration.value?.lines ?? [];
  const used = registeredAt(lines, line - 1);
  const definition = used === null ? null : definitionOf(lines, used, file);
  const elsewhere = definition !== null && "file" in definition ? definition : null;
  const imported = useSidecarData<SourceLines>(elsewhere === null ? null : topOf(elsewhere.file));
  const isOpen =
    (isDevelopment && (registration.value ?? registration.failure) === undefined) ||
    (elsewhere !== null && (imported.value ?? imported.failure) === undefined);
  if (isOpen) return <Loading what={name} />;
  const found =
    elsewhere === null
      ? definition
      : definitionOf(imported.value?.lines ?? [], elsewhere.name, elsewhere.file);
  const at =
    found !== null && "line" in found ? { file: elsewhere?.file ?? file, line: found.line } : { file, line };
  return <Source {...at} extent="declaration" label={`The middleware ${name}`} />;
}

/** Links a type. Of a body that is not JSON, such as `Form<Login>`, only the type is a link. */
function TypeLink({ name }: { readonly name: string }): JSX.Element {
  const [, format, type = ""] = /^(\w+)<(.+)>$/.exec(name) ?? [];
  if (format !== undefined) {
    return (
      <span class="mono">
        {format}&lt;{/^\w+$/.test(type) ? <TypeLink name={type} /> : type}&gt;
      </span>
    );
  }
  return (
    <a class="mono" href={hrefOf({ view: "types", id: name })}>
      {name}
    </a>
  );
}

/** Returns the path of the sidecar request for the beginning of a file, which contains the imports and most declarations. */
function topOf(file: string): string {
  return `source${query({ file, line: 1, around: 200 })}`;
}
