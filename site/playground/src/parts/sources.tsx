import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { Files, Mistake } from "../compiler/messages.ts";
import { MANIFEST, newPath, pathProblem } from "../state/project.ts";
import { Editor } from "./editor.tsx";
import { Icon } from "./icons.tsx";
import type { Target } from "./places.ts";
import { Tabs } from "./tabs.tsx";

/** The files of the project, one of them in an editor. */
export function Sources({
  files,
  path,
  project,
  mistakes,
  checked,
  target,
  onSelect,
  onChange,
  onAdd,
  onRemove,
}: {
  readonly files: Files;
  readonly path: string;
  /** Number of the project. Its change drops the histories of the files. */
  readonly project: number;
  readonly mistakes: readonly Mistake[];
  /** Files in which the compiler found the mistakes. */
  readonly checked: Files | undefined;
  readonly target: Target | undefined;
  readonly onSelect: (path: string) => void;
  readonly onChange: (path: string, text: string) => void;
  readonly onAdd: (path: string) => void;
  readonly onRemove: (path: string) => void;
}): JSX.Element {
  const [isAdding, setAdding] = useState(false);
  const paths = [...files.keys()];
  const tabs = paths.map((id) => {
    const errors = mistakes.filter(({ isError, place }) => isError && place?.path === id).length;
    return { id, title: id.replace(/^src\//, ""), badge: errors === 0 ? undefined : String(errors) };
  });
  const canRemove = path !== MANIFEST && paths.length > 2;
  return (
    <>
      <Tabs label="Files" tabs={tabs} selected={path} panel="source" onSelect={onSelect}>
        <span class="actions">
          {canRemove && (
            <button type="button" class="icon-button" onClick={() => onRemove(path)} title={`Remove ${path}`}>
              <Icon name="close" />
              <span class="hidden">Remove {path}</span>
            </button>
          )}
          <button type="button" class="icon-button" onClick={() => setAdding(!isAdding)} title="Add a file">
            <Icon name="plus" />
            <span class="hidden">Add a file</span>
          </button>
        </span>
      </Tabs>
      {isAdding && (
        <NewFile
          files={files}
          onClose={() => setAdding(false)}
          onAdd={(added) => {
            setAdding(false);
            onAdd(added);
          }}
        />
      )}
      <div id="source" class="panel" role="tabpanel" aria-label={path}>
        <Editor
          path={path}
          text={files.get(path) ?? ""}
          project={project}
          mistakes={mistakes.filter(({ place }) => place?.path === path)}
          checked={checked?.get(path)}
          target={target}
          onChange={onChange}
        />
      </div>
    </>
  );
}

function NewFile({
  files,
  onAdd,
  onClose,
}: {
  readonly files: Files;
  readonly onAdd: (path: string) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const [name, setName] = useState(newPath(files));
  const problem = pathProblem(name, files);
  return (
    <form
      class="new-file"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined) onAdd(name);
      }}
    >
      <label htmlFor="new-path">New file</label>
      <input
        id="new-path"
        value={name}
        spellcheck={false}
        ref={(input) => input?.focus()}
        aria-invalid={problem !== undefined}
        aria-describedby="new-path-problem"
        onInput={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
        }}
      />
      <button type="submit" class="button" disabled={problem !== undefined}>
        Add
      </button>
      <button type="button" class="button" onClick={onClose}>
        Cancel
      </button>
      <p id="new-path-problem" class="problem-text" aria-live="polite">
        {problem}
      </p>
    </form>
  );
}
