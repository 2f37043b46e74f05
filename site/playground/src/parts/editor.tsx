import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import type { Mistake } from "../compiler/messages.ts";
import { rangeOf } from "../compiler/positions.ts";
import { editable, readOnly, replaceText } from "./editor-setup.ts";
import { pageOf, type Target } from "./places.ts";

/**
 * Editor of one file. Each file keeps its own history and selection. Layout effects change the editor together with the tabs, so that no
 * text goes to the file of the previous tab.
 */
export function Editor(props: {
  readonly path: string;
  readonly text: string;
  /** Number of the project. Its change drops the histories of the files. */
  readonly project: number;
  /** Mistakes of the file, and the text in which the compiler found them. */
  readonly mistakes: readonly Mistake[];
  readonly checked: string | undefined;
  readonly target: Target | undefined;
  readonly onChange: (path: string, text: string) => void;
}): JSX.Element {
  const { path, text, project, mistakes, checked, target } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const states = useRef(new Map<string, EditorState>());
  const onChange = useRef(props.onChange);
  onChange.current = props.onChange;

  useLayoutEffect(() => {
    const made = new EditorView({ parent: parent.current! });
    view.current = made;
    return () => made.destroy();
  }, []);
  useLayoutEffect(() => states.current.clear(), [project]);
  useLayoutEffect(() => {
    const kept = states.current.get(path);
    const fresh = (): EditorState =>
      EditorState.create({
        doc: text,
        extensions: editable(path, (changed) => onChange.current(path, changed)),
      });
    // A file that was removed and added again has another text.
    view.current!.setState(kept?.doc.toString() === text ? kept : fresh());
    return () => void states.current.set(path, view.current!.state);
    // The text of the editor is newer than `text`, which must not replace it.
  }, [path, project]);
  useLayoutEffect(() => {
    // The locations belong to the text that was built. After a later change, the next build brings new locations.
    const current = view.current!.state.doc.toString();
    if (checked !== current) return;
    const found = mistakes.map((mistake) => diagnosticOf(mistake, current));
    view.current!.dispatch(setDiagnostics(view.current!.state, found));
  }, [mistakes, checked, path, project]);
  useLayoutEffect(() => {
    if (target === undefined || target.path !== path) return;
    const offset = Math.min(target.offset, view.current!.state.doc.length);
    view.current!.dispatch({
      selection: { anchor: offset },
      effects: EditorView.scrollIntoView(offset, { y: "center" }),
    });
    view.current!.focus();
  }, [target, path]);
  return <div class="code" ref={parent} />;
}

function diagnosticOf(mistake: Mistake, text: string): Diagnostic {
  return {
    ...rangeOf(text, mistake.place!),
    severity: mistake.isError ? "error" : "warning",
    message: mistake.message,
    renderMessage() {
      const message = document.createElement("div");
      message.append(mistake.message);
      if (mistake.help !== null) {
        const help = document.createElement("div");
        help.className = "help";
        help.append(mistake.help);
        message.append(help);
      }
      if (mistake.code !== null) {
        const link = document.createElement("a");
        link.href = pageOf(mistake.code);
        link.target = "_blank";
        link.append(mistake.code);
        message.append(link);
      }
      return message;
    },
  };
}

/** View of a generated file. */
export function Viewer({ path, text }: { readonly path: string; readonly text: string }): JSX.Element {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  useLayoutEffect(() => {
    const made = new EditorView({ parent: parent.current!, doc: text, extensions: readOnly(path) });
    view.current = made;
    return () => made.destroy();
    // The next effect replaces the text.
  }, [path]);
  useLayoutEffect(() => replaceText(view.current!, text), [text]);
  return <div class="code" ref={parent} />;
}
