import type { ErrorRecord } from "@kit/types";
import type { JSX } from "preact";

import { Facts, Pre, Status } from "../parts/basic.tsx";
import { Source } from "../parts/source.tsx";
import { hrefOf } from "../state/place.ts";
import { session } from "../state/session.ts";
import { useStore } from "../state/store.ts";
import { missingScopesOf } from "../text/scopes.ts";
import { framesOf, readPlaceInSource } from "../text/stack.ts";

/** Field of a request that breaks a rule of its type. */
interface InvalidField {
  readonly path: string;
  readonly expected: string;
  readonly received?: string;
  readonly suggestion?: string;
  readonly value?: unknown;
  readonly rule?: string;
}

/** Explanation of a failed request: the message, the invalid fields, the line that threw the error, and the stack. */
export function ErrorBody({ error }: { readonly error: ErrorRecord }): JSX.Element {
  const current = useStore(session);
  const root = current.state === "ready" ? current.info.projectRoot : null;
  const details = (error.details ?? {}) as Readonly<Record<string, unknown>>;
  const stack = error.stack ?? (typeof details["stack"] === "string" ? details["stack"] : undefined);
  const frames = stack === undefined ? [] : framesOf(stack, root);
  const thrownAt = frames.find(({ file }) => file !== null);
  const at =
    thrownAt === undefined
      ? error.sourceFile === undefined
        ? undefined
        : readPlaceInSource(error.sourceFile)
      : { file: thrownAt.file!, line: thrownAt.line };
  const invalidFields = invalidFieldsOf(error, details);
  const missingScopes = missingScopesOf(details);
  const shown = ["stack", "fields", "handler", "relatedTests"];
  if (missingScopes !== undefined) shown.push("missingScopes");
  const rest = Object.entries(details).filter(([name]) => !shown.includes(name));
  const causes = Array.isArray(details["causes"]) ? (details["causes"] as unknown[]).map(String) : [];
  return (
    <div class="error-body">
      <p class="error-message">{error.message}</p>
      {causes.map((cause) => (
        <p key={cause} class="cause">
          Caused by: {cause}
        </p>
      ))}
      <Facts
        facts={[
          ["Code", <span class="mono">{error.code}</span>],
          ["Status", <Status status={error.status} />],
          ["Phase", <span class="mono">{error.phase}</span>],
          ...(missingScopes === undefined
            ? []
            : [["Missing scopes", <span class="mono">{missingScopes}</span>] as const]),
          ...(error.schema === undefined
            ? []
            : [
                [
                  "Type",
                  <a class="mono" href={hrefOf({ view: "types", id: error.schema })}>
                    {error.schema}
                  </a>,
                ] as const,
              ]),
        ]}
      />
      {invalidFields.length > 0 && <InvalidFields invalidFields={invalidFields} schema={error.schema} />}
      {at !== undefined && (
        <Source
          file={at.file}
          line={at.line}
          extent="around"
          label={thrownAt === undefined ? "The source that this is about" : "The line that threw"}
        />
      )}
      {frames.length > 0 && (
        <details class="stack" open={thrownAt === undefined && invalidFields.length === 0}>
          <summary>Stack ({frames.length})</summary>
          <ol>
            {frames.map(({ text, file }, index) => (
              <li key={index} class={file === null ? "frame" : "frame own"}>
                {text}
              </li>
            ))}
          </ol>
        </details>
      )}
      {rest.some(([name]) => name !== "causes" && name !== "name") && (
        <Pre
          text={JSON.stringify(Object.fromEntries(rest.filter(([name]) => name !== "causes")), null, 2)}
          label="Details of the error"
        />
      )}
      {error.relatedTests !== undefined && error.relatedTests.length > 0 && (
        <p class="muted">
          Tests of this route: <span class="mono">{error.relatedTests.join(", ")}</span>
        </p>
      )}
    </div>
  );
}

function invalidFieldsOf(
  { failures }: ErrorRecord,
  details: Readonly<Record<string, unknown>>,
): InvalidField[] {
  const fields = Array.isArray(details["fields"]) ? (details["fields"] as InvalidField[]) : [];
  const listed = (failures as InvalidField[] | undefined) ?? fields;
  // One list contains the received types, the other one contains the values.
  return listed.map((misfit, index) => Object.assign({}, fields[index], misfit));
}

function InvalidFields({
  invalidFields,
  schema,
}: {
  readonly invalidFields: readonly InvalidField[];
  readonly schema: string | undefined;
}): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="What does not fit">
      <table class="table misfits">
        <caption class="offscreen">What does not fit {schema ?? "its type"}</caption>
        <thead>
          <tr>
            <th scope="col">Path</th>
            <th scope="col">Expected</th>
            <th scope="col">Got</th>
          </tr>
        </thead>
        <tbody>
          {invalidFields.map(({ path, expected, received, value, rule, suggestion }, index) => (
            <tr key={index}>
              <th scope="row" class="mono">
                {path}
              </th>
              <td class="good">{expected}</td>
              <td class="bad">
                {received ?? ""}
                {value !== undefined && rule !== "required" && !isSaid(received, value) && (
                  <code class="got">{JSON.stringify(value)}</code>
                )}
                {suggestion !== undefined && <span class="suggestion">{suggestion}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Returns true if the description already contains the value: `number 42` contains 42. */
function isSaid(received: string | undefined, value: unknown): boolean {
  return received?.endsWith(` ${JSON.stringify(value)}`) === true;
}
