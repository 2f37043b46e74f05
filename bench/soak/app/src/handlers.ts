import { randomUUID } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { defineHandlers, defineMiddleware } from "@kit/core";
import { NotFoundError, UnauthorizedError } from "@kit/errors";
import type { NoteRoutes, TroubleRoutes } from "./notes.routes.ts";
import type { Note } from "./notes.types.ts";

const { gc } = globalThis as { gc?: () => void };
const capacity = 1000;
const notes = new Map<string, Note>();
const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
const { KIT_SOAK_JOURNAL: path } = process.env;
/** File to which the mark of each request is appended when its handler starts. */
const journal = path === undefined ? undefined : openSync(path, "a");

/** Middleware that reads the user from the access token. */
export const requireAuth = defineMiddleware<{ userId: string }>(async ({ headers }) => {
  const [, userId] = /^Bearer ([^:]+)/.exec(headers["authorization"] ?? "") ?? [];
  if (userId === undefined) throw new UnauthorizedError("UNAUTHORIZED", "An access token is needed");
  return { userId };
});

/** Handlers that read and create notes. Only the latest notes are stored. */
export const noteHandlers = defineHandlers<NoteRoutes, { userId: string }>({
  "GET /notes/:id": async ({ params }) => {
    const note = notes.get(params.id);
    if (note === undefined) throw new NotFoundError("NOTE_NOT_FOUND", "Note not found");
    return note;
  },
  "POST /notes": async ({ body, ctx }) => {
    ctx.span?.setAttribute("note.length", body.content.length);
    ctx.log.debug("A note", { title: body.title });
    const note = { ...body, id: randomUUID(), authorId: ctx.userId, createdAt: new Date() };
    notes.set(note.id, note);
    if (notes.size > capacity) notes.delete(notes.keys().next().value!);
    return note;
  },
});

/** Yields bytes that never end. */
async function* pieces(): AsyncGenerator<Uint8Array> {
  for (;;) yield Buffer.alloc(16 * 1024, 120);
}

/** Handlers that stress the server: they wait, send large responses, record started requests, and report the used memory. */
export const troubleHandlers = defineHandlers<TroubleRoutes>({
  "GET /slow/:ms": async ({ params, ctx }) => {
    // The wait ends when the client disconnects, because the signal aborts then.
    await sleep(Math.min(params.ms, 1000), undefined, { signal: ctx.signal }).catch(() => {});
    return { mark: "slow" };
  },
  "GET /stream": ({ ctx }) => ctx.send(pieces()),
  "GET /large": () => ({ lines }),
  "POST /marks": async ({ body }) => {
    if (journal !== undefined) writeSync(journal, `${body.mark}\n`);
    // Delays some responses, so that some requests are in progress whenever the process is stopped.
    await sleep(body.mark.endsWith("7") ? 30 : 0);
    return body;
  },
  "GET /memory": () => {
    gc?.();
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return { heapBytes: heapUsed, externalBytes: external + arrayBuffers };
  },
});
