import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { rust } from "@codemirror/lang-rust";
import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { bracketMatching, foldGutter, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

/** Returns the language of a file. */
function languageOf(path: string): Extension {
  switch (path.slice(path.lastIndexOf(".") + 1)) {
    case "ts":
    case "js":
      return javascript({ typescript: true });
    case "json":
      return json();
    case "sql":
      return sql({ dialect: PostgreSQL });
    case "rs":
      return rust();
    default:
      return [];
  }
}

// The style sheet of the page has the colors of `classHighlighter`, so that a change of the theme needs no new editor.
const common: Extension = [
  lineNumbers(),
  foldGutter(),
  syntaxHighlighting(classHighlighter),
  bracketMatching(),
  highlightSelectionMatches(),
  search({ top: true }),
  EditorState.tabSize.of(2),
];

/** Extensions of an editor for a file. The tab key leaves the editor, so that the keyboard reaches all controls. */
export function editable(path: string, onChange: (text: string) => void): Extension {
  return [
    common,
    history(),
    drawSelection(),
    indentOnInput(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    lintGutter(),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    languageOf(path),
    EditorView.contentAttributes.of({ tabindex: "0", "aria-label": `Source of ${path}` }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}

/** Extensions of a view of a generated file. The keyboard can focus, scroll, select and search it. */
export function readOnly(path: string): Extension {
  return [
    common,
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    keymap.of([...defaultKeymap, ...searchKeymap]),
    languageOf(path),
    EditorView.contentAttributes.of({
      tabindex: "0",
      role: "textbox",
      "aria-multiline": "true",
      "aria-readonly": "true",
      "aria-label": `Generated file ${path}`,
    }),
  ];
}

/** Replaces the changed part of a text. Without a change in the visible part, the scroll position stays. */
export function replaceText(view: EditorView, text: string): void {
  const before = view.state.doc.toString();
  if (before === text) return;
  const shorter = Math.min(before.length, text.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === text.charCodeAt(start)) start += 1;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === text.charCodeAt(text.length - 1 - end)
  )
    end += 1;
  view.dispatch({
    changes: { from: start, to: before.length - end, insert: text.slice(start, text.length - end) },
  });
}
