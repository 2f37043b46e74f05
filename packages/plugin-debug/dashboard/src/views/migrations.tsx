import type { JSX } from "preact";

import type { PendingChange, PendingMigration } from "../../../src/responses/shapes.ts";
import { CopyButton, Empty, Failure, Loading, Pre, Section, Tag } from "../parts/basic.tsx";
import { useSidecarData } from "../state/use-sidecar-data.ts";
import { wordsOf } from "../text/changes.ts";

/** Differences between the types and the committed migrations. */
export function Migrations(): JSX.Element {
  const { value, failure } = useSidecarData<PendingMigration>("migrations", 5_000);
  if (value === undefined)
    return failure === undefined ? <Loading what="migrations" /> : <Failure failure={failure} />;
  const { hasTables, destructive, changes, problems, sql } = value;
  if (!hasTables) {
    return (
      <Empty title="The project has no tables">
        An entity becomes a table with <code>@table</code>; what its migrations lack then stands here.
      </Empty>
    );
  }
  if (changes.length === 0 && problems.length === 0) {
    return (
      <Empty title="Types and migrations agree">
        Change an entity and run <code>kit build</code>: what has to be migrated stands here before it is
        committed.
      </Empty>
    );
  }
  return (
    <>
      {problems.length > 0 && (
        <Section title="What cannot be planned" note={String(problems.length)}>
          <ul class="problems">
            {problems.map(({ place, message, help }) => (
              <li key={`${place} ${message}`} class="failure">
                <p class="empty-title">{place}</p>
                <p>{message}</p>
                <p class="muted">{help}</p>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {destructive && (
        <p class="warning bad-text">
          Stored values are lost for good: `kit migrate:apply` asks for `--allow-destructive`.
        </p>
      )}
      {changes.length > 0 && (
        <Section title="Pending changes" note={String(changes.length)}>
          <ol class="changes">
            {changes.map((change, index) => (
              <Change key={index} change={change} />
            ))}
          </ol>
          <p class="muted">
            Commit them with <code>kit migrate:generate --name …</code>, then <code>kit migrate:apply</code>.
          </p>
        </Section>
      )}
      {sql !== null && (
        <Section title="SQL">
          <div class="actions">
            <CopyButton text={() => sql} label="Copy the SQL" />
          </div>
          <Pre text={sql} label="SQL of the pending migration" />
        </Section>
      )}
    </>
  );
}

function Change({ change }: { readonly change: PendingChange }): JSX.Element {
  const judged = change.class ?? "safe";
  const { reason, alternative } = change;
  return (
    <li class="change">
      <span class="change-head">
        <Tag word={judged} label={judged === "needsData" ? "needs data" : judged} />
        <span class="strong">{wordsOf(change)}</span>
      </span>
      {reason !== undefined && <p class="muted">{reason}</p>}
      {alternative !== undefined && (
        <details>
          <summary>{alternative.summary}</summary>
          <Pre text={alternative.steps.join("\n")} label="Another way" />
        </details>
      )}
    </li>
  );
}
