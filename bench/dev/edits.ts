/**
 * Edits of the Notes example. Each changes a text in one file, and a response shows whether the new code is served. The requests do not
 * query the database, because the benchmark measures `kit dev` and not the database.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type Answer, ask } from "./ask.ts";

/** Kind of edit that the benchmark repeats. */
export interface Kind {
  readonly name: "type" | "handler" | "contract";
  /** Writes the file. `count` is the number of edits so far, so each edit writes a new text. */
  readonly write: (count: number) => void;
  /** Returns the path of the request that shows the edit. */
  readonly path: (count: number) => string;
  /** Returns true if a response comes from the code after edit number `count`, and not from older code. */
  readonly isNew: (answer: Answer, count: number) => boolean;
}

/** Headers with the access token of some user. */
export const user: Readonly<Record<string, string>> = { authorization: "Bearer somebody:user" };

const types = "src/notes.types.ts";
const routes = "src/notes.routes.ts";
const handlers = "src/notes.handlers.ts";

/** Returns the kinds of edits, in the order in which they take turns. */
export function kindsOf(root: string): readonly Kind[] {
  const file = (name: string): ((from: string, to: string) => void) => {
    const path = join(root, name);
    const original = readFileSync(path, "utf8");
    return (from, to) => {
      const edited = original.replace(from, () => to);
      if (edited === original && from !== to)
        throw new Error(`${name} does not contain \`${from}\`, which the edit replaces`);
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

/** Returns the maximum page size that the message of a validation error names. */
function limitOf(text: string): number {
  const { error } = JSON.parse(text) as { error: { details: { fields: { expected: string }[] } } };
  return Number(/(\d+)$/.exec(error.details.fields[0]!.expected)?.[1]);
}

/** Writes a file with or without a syntax error. */
export function breakBuild(root: string, isBroken: boolean): void {
  writeFileSync(
    join(root, "src/broken.types.ts"),
    isBroken ? "export interface Broken {\n  a: ;\n}\n" : "export interface Broken {\n  a: string;\n}\n",
  );
}

/** Creates the note that the list of notes then contains. */
export async function writeNote(port: number): Promise<void> {
  const answer = await ask(port, "/notes", {
    method: "POST",
    headers: { ...user, "content-type": "application/json" },
    body: JSON.stringify({ title: "Groceries", content: "Milk" }),
  });
  if (answer.status !== 201) throw new Error(`the note was not created: ${answer.status} ${answer.text}`);
}
