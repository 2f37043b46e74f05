// Tests of the errors of the Rust compiler that `kit dev` prints.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { CargoOutput } from "../src/dev/rust-errors.ts";
import { Project } from "./support/project.ts";

const lines = {
  handlers: [
    {
      file: "src/handlers/notes.rs",
      function: "get_notes",
      route: "GET /notes",
      at: { path: "src/notes.routes.ts", line: 2, column: 3 },
    },
  ],
  models: [{ name: "Note", at: { path: "src/notes.types.ts", line: 1, column: 8 } }],
};

const files = {
  ".kit/contract-lines.json": JSON.stringify(lines),
  "src/notes.routes.ts": 'export interface NoteRoutes {\n  "GET /notes": RouteContract;\n}\n',
  "src/notes.types.ts": "export interface Note {}\n",
  "src/handlers/notes.rs":
    "impl NoteRoutes for App {\n    async fn get_notes(&self) -> Answer {\n        7\n    }\n}\n",
};

const message = (code: string | null, text: string, file: string, line: number, label = ""): string =>
  `${JSON.stringify({
    reason: "compiler-message",
    message: {
      message: text,
      level: "error",
      code: code === null ? null : { code },
      rendered: `error: ${text}\n\n`,
      spans: [{ file_name: file, line_start: line, is_primary: true, label }],
    },
  })}\n`;

const contract = [
  "note: the contract of `GET /notes`",
  " --> src/notes.routes.ts:2:3",
  "  |",
  '2 |   "GET /notes": RouteContract;',
];

test("adds the contract to an error in its handler, and to an error about its missing handler", async (t) => {
  const { root } = await Project.create(t, files);
  const output = new CargoOutput(root, ".kit");
  const inHandler = output.read(message("E0308", "mismatched types", "src/handlers/notes.rs", 3));
  assert.deepEqual(inHandler, [["error: mismatched types", ...contract].join("\n")]);
  const text = "not all trait items implemented, missing: `get_notes`";
  const missing = output.read(message("E0046", text, "src/handlers/notes.rs", 1));
  const help = "help: `kit scaffold add handler` adds the missing handlers";
  assert.deepEqual(missing, [[`error: ${text}`, ...contract, help].join("\n")]);
});

test("adds the type to an error outside of handlers that names its model", async (t) => {
  const { root } = await Project.create(t, files);
  const output = new CargoOutput(root, ".kit");
  const text = "missing field `title` in initializer of `models::Note`";
  const [shown] = output.read(message("E0063", text, "src/services/notes.rs", 3));
  assert.match(shown!, /note: the type of `Note`\n --> src\/notes\.types\.ts:1:8/);
  const [other] = output.read(message("E0063", "missing field `a` in `B`", "src/services/notes.rs", 3));
  assert.equal(other, "error: missing field `a` in `B`");
});

test("reads lines that arrive in parts, finds the program, and passes lines that are no JSON", async (t) => {
  const { root } = await Project.create(t, {});
  const output = new CargoOutput(root, ".kit");
  const artifact = (name: string, executable: string | null): string =>
    `${JSON.stringify({
      reason: "compiler-artifact",
      target: { kind: ["bin"], src_path: join(root, "src", name) },
      executable,
      fresh: true,
    })}\n`;
  const text = `${artifact("lib.rs", null)}${artifact("other.rs", "/other")}${artifact("main.rs", "/main")}plain\n`;
  const shown = [...text].flatMap((letter) => output.read(letter));
  assert.deepEqual(shown, ["plain"]);
  assert.deepEqual(output.program, { path: "/main", isFresh: true });
});
