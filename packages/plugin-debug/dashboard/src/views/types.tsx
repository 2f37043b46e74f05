import type { JSX } from "preact";

import { Empty, Facts, Failure, Loading, Pre, Search, Section, Tag } from "../parts/basic.tsx";
import { Icon } from "../parts/icon.tsx";
import { Source } from "../parts/source.tsx";
import { go, hrefOf, type Place } from "../state/place.ts";
import { useSidecarData } from "../state/use-sidecar-data.ts";
import { count } from "../text/format.ts";

interface Listed {
  readonly name: string;
  readonly table?: string;
  readonly file: string;
  readonly line: number;
}

interface Property {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly [rule: string]: unknown;
}

interface Type extends Listed {
  readonly properties: readonly Property[];
  readonly usedBy: readonly {
    readonly route: string;
    readonly as: string;
    readonly through?: readonly string[];
  }[];
  readonly schema: { readonly description?: string };
}

/** List of types, or one of them in detail. */
export function Types({ place }: { readonly place: Place }): JSX.Element {
  return place.id === null ? <TypeList place={place} /> : <TypePage key={place.id} name={place.id} />;
}

function TypeList({ place }: { readonly place: Place }): JSX.Element {
  const { value, failure } = useSidecarData<{ schemas: readonly Listed[] }>("schema");
  if (value === undefined)
    return failure === undefined ? <Loading what="types" /> : <Failure failure={failure} />;
  const { q = "" } = place.query;
  const shown = value.schemas.filter(({ name, table, file }) =>
    `${name} ${table ?? ""} ${file}`.toLowerCase().includes(q.trim().toLowerCase()),
  );
  return (
    <>
      <search class="toolbar" aria-label="Filter types">
        <Search
          value={q}
          label="Name, table, file"
          onInput={(text) => go({ ...place, query: { q: text } }, "replace")}
        />
        <span class="counted">{count(shown.length)} types</span>
      </search>
      {value.schemas.length === 0 && (
        <Empty title="There are no types">Types of contracts and entities stand here.</Empty>
      )}
      <ul class="rows" aria-label="Types">
        {shown.map(({ name, table, file, line }) => (
          <li key={name}>
            <a class="row type-row" href={hrefOf({ view: "types", id: name })} data-row>
              <span class="mono strong">{name}</span>
              <span>{table !== undefined && <span class="chip">table {table}</span>}</span>
              <span class="mono muted type-file">
                {file}:{line}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function TypePage({ name }: { readonly name: string }): JSX.Element {
  const { value, failure } = useSidecarData<Type>(`schema/${encodeURIComponent(name)}`);
  return (
    <article class="page">
      <a class="button small bare" href={hrefOf({ view: "types" })} data-close>
        <Icon name="back" />
        <span>All types</span>
      </a>
      <h2 class="page-title mono">{name}</h2>
      {value === undefined &&
        (failure === undefined ? <Loading what="the type" /> : <Failure failure={failure} />)}
      {value !== undefined && <TypeBody type={value} />}
    </article>
  );
}

function TypeBody({ type }: { readonly type: Type }): JSX.Element {
  const { properties, usedBy, file, line, table, schema, name } = type;
  return (
    <>
      {schema.description !== undefined && <p>{schema.description}</p>}
      <Facts
        facts={[
          ...(table === undefined ? [] : [["Table", <span class="mono">{table}</span>] as const]),
          ["Declared", <span class="mono">{`${file}:${line}`}</span>],
        ]}
      />
      <Section title="Properties" note={String(properties.length)}>
        {properties.length === 0 ? (
          <p class="muted">It is no object with properties; its schema is below.</p>
        ) : (
          <ul class="properties">
            {properties.map((property) => (
              <PropertyRow key={property.name} property={property} />
            ))}
          </ul>
        )}
      </Section>
      <Section title="Used by" note={String(usedBy.length)}>
        {usedBy.length === 0 && <p class="muted">No route takes or gives it.</p>}
        <ul class="uses">
          {usedBy.map(({ route, as, through }) => (
            <li key={`${route} ${as}`}>
              <a class="mono" href={hrefOf({ view: "routes", id: route })}>
                {route}
              </a>{" "}
              <span class="muted">
                as {as}
                {through !== undefined && ` through ${through.join(", ")}`}
              </span>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Source">
        <Source file={file} line={line} extent="declaration" label={`The declaration of ${name}`} />
      </Section>
      <Section title="JSON Schema">
        <Pre text={JSON.stringify(schema, null, 2)} label="JSON Schema" />
      </Section>
    </>
  );
}

const shownElsewhere: ReadonlySet<string> = new Set([
  "name",
  "type",
  "required",
  "default",
  "description",
  "tags",
]);

function PropertyRow({ property }: { readonly property: Property }): JSX.Element {
  const { name, type, required, description, tags } = property;
  const rules = Object.entries(property).filter(([rule]) => !shownElsewhere.has(rule));
  const ruleTags = new Set(
    rules.map(([rule, value]) => (value === true ? `@${rule}` : `@${rule} ${String(value)}`)),
  );
  return (
    <li class="property">
      <span class="property-head">
        <span class="mono strong">{name}</span>
        <span class="mono type-name">{type}</span>
        {!required && <Tag word="quiet" label="optional" />}
      </span>
      {description !== undefined && <span class="property-text">{description}</span>}
      <span class="chips">
        {property.default !== undefined && (
          <span class="chip">default {JSON.stringify(property.default)}</span>
        )}
        {rules.map(([rule, value]) => (
          <span key={rule} class="chip">
            {rule} {typeof value === "string" ? value : JSON.stringify(value)}
          </span>
        ))}
        {tags
          .filter((tag) => !ruleTags.has(tag))
          .map((tag) => (
            <span key={tag} class="chip tag">
              @{tag.replace(/^@/, "")}
            </span>
          ))}
      </span>
    </li>
  );
}
