//! Tests of `kit lsp` on the level of its protocol. `packages/cli/test/lsp.test.ts` tests the streams and an editor.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

mod diagnostics;
mod editor;
mod hover;
mod navigation;
mod protocol;

use crate::support::Project;

const TYPES: &str = "\
/** @table */
export interface User {
  /** @id @generated uuid */
  id: string;
  /** @format email @unique */
  email: string;
}

/** A text with a title. @table */
export interface Note {
  /** @id @generated uuid */
  id: string;
  /** @references User.id cascade @index */
  userId: string;
  /**
   * Shown in lists.
   * @minLength 1 @maxLength 200
   */
  title: string;
}
";

const ROUTES: &str = "\
import type { Route } from \"@kit/types\";
import type { Note } from \"./notes.types.ts\";

export interface NoteRoutes {
  /** @summary One note @throws NOTE_NOT_FOUND 404 There is no such note. */
  \"GET /notes/:id\": Route<{ params: { id: Note[\"id\"] }; response: Note }>;
  \"GET /notes\": Route<{ response: Note[] }>;
}
";

const HANDLERS: &str = "\
import { defineHandlers } from \"@kit/core\";
import type { NoteRoutes } from \"./notes.routes.ts\";

export const noteHandlers = defineHandlers<NoteRoutes>({
  \"GET /notes/:id\": ({ ctx }) => ctx.fail(404, \"NOTE_NOT_FOUND\", \"\"),
  \"GET /notes\": () => [],
});
";

const APP: &str = "\
import { createApp } from \"@kit/core\";
import { noteHandlers } from \"./notes.handlers.ts\";

export const app = createApp({ routes: [{ handlers: noteHandlers }] });
";

const TEST: &str = "\
import { api } from \"./api.ts\";
await api.get(\"/notes/:id\", { params: { id } });
const keys = [\"GET /notes/:id\"];
await api.get(`/notes`);
await api.request(\"GET /notes\");
new Map().get(\"/notes\");
";

/// Returns the project that most tests edit.
fn notes() -> Project {
    Project::new(&[
        (
            "package.json",
            "{ \"dependencies\": { \"@kit/core\": \"0.1.0\" } }",
        ),
        ("src/notes.types.ts", TYPES),
        ("src/notes.routes.ts", ROUTES),
        ("src/notes.handlers.ts", HANDLERS),
        ("src/app.ts", APP),
        ("test/notes.test.ts", TEST),
    ])
}
