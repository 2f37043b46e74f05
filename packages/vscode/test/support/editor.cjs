// Runs the bundled extension in Node, with a stand-in for the module `vscode`: one open folder and one open document. Prints the
// diagnostics that the extension shows, and what it logs, each as a line of JSON.
//
// Arguments: the bundle, the folder, and the document.

// Reason: the classes of `vscode` contain only data, and Node has no other way to replace a module for `require`.
/* oxlint-disable typescript/no-extraneous-class, eslint/no-underscore-dangle */

const { readFileSync } = require("node:fs");
const Module = require("node:module");
const { pathToFileURL, fileURLToPath } = require("node:url");

const [, , bundle, folder, document] = process.argv;

function print(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

class Uri {
  constructor(text) {
    this.text = text;
    this.scheme = new URL(text).protocol.slice(0, -1);
    this.fsPath = fileURLToPath(text);
    this.path = new URL(text).pathname;
  }
  static file = (path) => new Uri(pathToFileURL(path).href);
  static parse = (text) => new Uri(text);
  toString() {
    return this.text;
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(start, end) {
    Object.assign(this, { start, end });
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class Disposable {
  constructor(dispose) {
    this.dispose = dispose ?? (() => {});
  }
}

class EventEmitter {
  listeners = new Set();
  event = (listener) => {
    this.listeners.add(listener);
    return new Disposable(() => this.listeners.delete(listener));
  };
  fire(value) {
    for (const listener of this.listeners) listener(value);
  }
  dispose() {}
}

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() };
  cancel() {}
  dispose() {}
}

/** A class without behavior, for types that the extension only extends or creates. */
const plain = () => class {};

class CodeActionKind {
  constructor(value) {
    this.value = value;
  }
  append = (part) => new CodeActionKind(this.value === "" ? part : `${this.value}.${part}`);
  static Empty = new CodeActionKind("");
  static QuickFix = new CodeActionKind("quickfix");
}

const uri = Uri.file(folder);
const text = readFileSync(document, "utf8");
const open = {
  uri: Uri.file(document),
  fileName: document,
  languageId: "typescript",
  version: 1,
  isClosed: false,
  isDirty: false,
  getText: () => text,
};
const workspaceFolder = { uri, name: "app", index: 0 };
const event = () => new Disposable();
const output = Object.fromEntries(
  ["trace", "debug", "info", "warn", "error", "append", "appendLine"].map((level) => [
    level,
    (message) => print({ log: String(message) }),
  ]),
);
const channel = { ...output, show: () => {}, dispose: () => {}, name: "kit", logLevel: 2 };

const given = {
  Uri,
  Position,
  Range,
  Diagnostic,
  Disposable,
  EventEmitter,
  CodeActionKind,
  CancellationTokenSource,
  CancellationError: class extends Error {},
  version: "1.90.0",
  env: { appName: "test", language: "en", clipboard: {} },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  window: {
    createOutputChannel: () => channel,
    showErrorMessage: async (message) => print({ error: String(message) }),
    showWarningMessage: async () => undefined,
    showInformationMessage: async () => undefined,
    withProgress: async (_options, task) =>
      await task({ report: () => {} }, new CancellationTokenSource().token),
    activeTextEditor: undefined,
    visibleTextEditors: [{ document: open }],
    tabGroups: { all: [], onDidChangeTabs: event, onDidChangeTabGroups: event, activeTabGroup: {} },
  },
  workspace: {
    workspaceFolders: [workspaceFolder],
    textDocuments: [open],
    notebookDocuments: [],
    getConfiguration: () => ({ get: (_name, value) => value, has: () => false, inspect: () => undefined }),
    getWorkspaceFolder: () => workspaceFolder,
    createFileSystemWatcher: () => ({
      onDidCreate: event,
      onDidChange: event,
      onDidDelete: event,
      dispose: () => {},
    }),
    fs: {},
  },
  languages: {
    match: (selector, { uri: { scheme }, languageId }) => {
      const filters = [selector].flat();
      return filters.some((filter) => filter.language === languageId && (filter.scheme ?? scheme) === scheme)
        ? 10
        : 0;
    },
    createDiagnosticCollection: () => ({
      set: (of, diagnostics) => {
        print({
          path: of.fsPath,
          diagnostics: (diagnostics ?? []).map(({ message, code }) => ({
            message,
            code: code?.value ?? code,
          })),
        });
      },
      delete: () => {},
      clear: () => {},
      dispose: () => {},
    }),
  },
  commands: {
    registerCommand: (name) => {
      print({ command: name });
      return new Disposable();
    },
    executeCommand: async () => undefined,
  },
};

/** Returns a module whose missing names are events, functions that register something, or classes. */
function complete(members, name) {
  return new Proxy(members, {
    get(target, key) {
      if (key in target || typeof key === "symbol") return target[key];
      if (/^(?:on|register|create)/.test(key)) return (target[key] = event);
      if (name === "vscode" && /^[A-Z]/.test(key)) return (target[key] = plain());
      return undefined;
    },
  });
}

for (const name of ["window", "workspace", "languages", "commands"])
  given[name] = complete(given[name], name);
const vscode = complete(given, "vscode");

const { _load: load } = Module;
Module._load = function (request, ...rest) {
  return request === "vscode" ? vscode : load.call(this, request, ...rest);
};

const extension = require(bundle);
void extension.activate({ subscriptions: [] }).then(() => print({ active: true }));
process.on("SIGTERM", () => {
  void extension.deactivate().then(() => {
    print({ stopped: true });
    process.exit(0);
  });
});
setInterval(() => {}, 1000);
