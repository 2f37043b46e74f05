import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { filesOf, type Output, outputs, reasons } from "../state/outputs.ts";
import type { Builds } from "../state/use-builds.ts";
import { CopyButton } from "./copy-button.tsx";
import { Viewer } from "./editor.tsx";
import type { Target } from "./places.ts";
import { Problems } from "./problems.tsx";
import { Tabs } from "./tabs.tsx";

const tabs = Object.entries(outputs).map(([id, title]) => ({ id, title }));

/** The files that kit generated, by output. */
export function Results({
  built,
  isOutdated,
  onGo,
}: {
  readonly built: NonNullable<Builds["built"]>;
  /** True if the types have changed since, and have errors. */
  readonly isOutdated: boolean;
  readonly onGo: (target: Target) => void;
}): JSX.Element {
  const [output, setOutput] = useState<Output>("validators");
  // Each output keeps its selected file.
  const [selected, setSelected] = useState<Partial<Record<Output, string>>>({});
  const files = filesOf(output, built.outcome);
  const { rustMistakes } = built.outcome.answer;
  const file = files.find(({ path }) => path === selected[output]) ?? files[0];
  return (
    <>
      <Tabs
        label="Outputs"
        tabs={tabs}
        selected={output}
        panel="output"
        onSelect={(id) => setOutput(id as Output)}
      />
      <div class="toolbar">
        {file !== undefined && (
          <>
            <label class="hidden" htmlFor="file">
              Generated file
            </label>
            <select
              id="file"
              value={file.path}
              onChange={(event) => setSelected({ ...selected, [output]: event.currentTarget.value })}
            >
              {files.map(({ path }) => (
                <option key={path}>{path}</option>
              ))}
            </select>
            <span class="count">{isOutdated ? "before the errors" : linesOf(file.text)}</span>
            <CopyButton
              icon="copy"
              label="Copy"
              done="Copied"
              refused="Copy with the keyboard"
              read={async () => file.text}
            />
          </>
        )}
      </div>
      <div
        id="output"
        class={isOutdated ? "panel outdated" : "panel"}
        role="tabpanel"
        aria-label={outputs[output]}
      >
        {file === undefined ? (
          <p class="empty">{reasons[output]}</p>
        ) : (
          <Viewer path={file.path} text={file.text} />
        )}
      </div>
      {output === "rust" && rustMistakes.length > 0 && (
        <Problems
          label="Parts that the Rust server does not have"
          mistakes={rustMistakes}
          files={built.files}
          onGo={onGo}
        />
      )}
    </>
  );
}

function linesOf(text: string): string {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return `${lines} ${lines === 1 ? "line" : "lines"}`;
}
