/**
 * Edits of the Notes example. Each one changes a text in one file, and a response shows that the new code is served. These requests do not
 * query the database, because the benchmark measures `kit dev` and not database connections.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type Answer, ask } from "./ask.ts";

/** Edit that is repeated. */
export interface Kind {
  readonly name: "type" | "handler" | "contract";
  /** Writes the file in its state after this number of edits of all kinds. */
  readonly write: (count: number) => void;
  /** Returns the path of the request. */
  readonly path: (count: number) => string;
  /** Returns true if a response comes from the code after this number of edits, and not from the previous code. */
  readonly isNew: (answer: Answer, count: number) => boolean;
}

/** Headers of an arbitrary user. */
export const user: Readonly<Record<string, string>> = { authorization: "Bearer somebody:user" };

const types = "src/notes.types.ts";
const routes = "src/notes.routes.ts";
const handlers = "src/notes.handlers.ts";

/** Returns all kinds of edits, in order. */
export function kindsOf(root: string): readonly Kind[] {
  const file = (name: string): ((from: string, to: string) => void) => {
    const path = join(root, name);
    const original = readFileSync(path, "utf8");
    return (from, to) => {
      const edited = original.replace(from, () => to);
      if (edited === original && from !== to) throw new Error(`${name} has no \`${from}\` to edit`);
      writeFileSync(path, edited);
    };
  };
  const [editTypes, editRoutes, editHandlers] = [file(types), file(routes), file(handlers)];
  return [
    {
      name: "type",
      write: (count) => editTypes("@maximum 100", `@maximum ${100 + count}`),
      path: () => "/notes?pageSize=1000000",
      isNew: ({ status, text }, count) => status === 400 && limitOf(text) === 100 + count,
    },
    {
      name: "handler",
      write: (count) => editHandlers('"Note not found"', `"There is no such note (${count})"`),
      path: () => "/notes/none",
      isNew: ({ status, text }, count) => status === 404 && text.includes(`There is no such note (${count})`),
    },
    {
      name: "contract",
      write: (count) =>
        editRoutes(
          '"GET /notes/:id": RouteContract<{ id: string }, void,',
          `"GET /notes/:id": RouteContract<{ id: string }, { revision${count}?: number },`,
        ),
      path: (count) => `/notes/none?revision${count}=x`,
      isNew: ({ status, text }, count) => status === 400 && text.includes(`revision${count}`),
    },
  ];
}

/** Returns the maximum page size from a validation failure. */
function limitOf(text: string): number {
  const { error } = JSON.parse(text) as { error: { details: { fields: { expected: string }[] } } };
  return Number(/(\d+)$/.exec(error.details.fields[0]!.expected)?.[1]);
}

/** Adds or removes a file with an error. */
export function breakBuild(root: string, isBroken: boolean): void {
  writeFileSync(
    join(root, "src/broken.types.ts"),
    isBroken ? "export interface Broken {\n  a: ;\n}\n" : "export interface Broken {\n  a: string;\n}\n",
  );
}

/** Creates the note that lists show. */
export async function writeNote(port: number): Promise<void> {
  const answer = await ask(port, "/notes", {
    method: "POST",
    headers: { ...user, "content-type": "application/json" },
    body: JSON.stringify({ title: "Groceries", content: "Milk" }),
  });
  if (answer.status !== 201) throw new Error(`no note was written: ${answer.status} ${answer.text}`);
}
