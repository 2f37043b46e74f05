/** Peer: `Bun.serve` with Bun's own routes. The rest of the application is handwritten. */
import { findStored } from "../app/src/database.ts";
import type { Note } from "../app/src/notes.types.ts";
import { use } from "../app/src/quota.ts";
import { create, find } from "../app/src/store.ts";
import {
  assignedPort,
  bodyLimit,
  envelopeOf,
  Failure,
  invalid,
  localeOf,
  noteInputOf,
  tenantOf,
  userOf,
  uuidOf,
  withinQuota,
} from "./shared.ts";

/** Request of Bun with the properties that are used here, because Bun's types are not installed. */
interface BunRequest extends Request {
  readonly params: Readonly<Record<string, string>>;
}
type Handler = (request: BunRequest) => Response | Promise<Response>;
declare const Bun: {
  serve(options: {
    port: number;
    hostname: string;
    maxRequestBodySize: number;
    routes: Record<string, Record<string, Handler>>;
    fetch: Handler;
    error: (error: unknown) => Response;
  }): void;
};

function answer(note: Note | undefined, status = 200): Response {
  if (note === undefined) throw new Failure(404, "NOTE_NOT_FOUND", "Note not found");
  const { id, title, content, authorId, archived, createdAt, updatedAt } = note;
  return Response.json({ id, title, content, authorId, archived, createdAt, updatedAt }, { status });
}

async function readJson(request: Request): Promise<unknown> {
  if (request.headers.get("content-type") !== "application/json") {
    throw new Failure(415, "UNSUPPORTED_MEDIA_TYPE", "Send application/json");
  }
  try {
    return await request.json();
  } catch {
    throw invalid([{ path: "$", expected: "JSON" }]);
  }
}

const getNote: Handler = async ({ headers, params }) => {
  await userOf(headers.get("authorization"));
  return answer(find(params["id"] ?? ""));
};

const getStoredNote: Handler = async ({ headers, params }) => {
  await userOf(headers.get("authorization"));
  return answer(await findStored(uuidOf(params["id"] ?? "")));
};

const createNote: Handler = async (request) => {
  const userId = await userOf(request.headers.get("authorization"));
  return answer(create(noteInputOf(await readJson(request)), userId), 201);
};

const getAccount: Handler = async ({ headers }) => {
  const userId = await userOf(headers.get("authorization"));
  const tenant = tenantOf(headers.get("x-tenant"));
  const locale = localeOf(headers.get("accept-language"));
  const used = withinQuota(use(userId));
  return Response.json({ userId, tenant, locale, used }, { headers: { "cache-control": "no-store" } });
};

Bun.serve({
  port: assignedPort(),
  hostname: "127.0.0.1",
  maxRequestBodySize: bodyLimit,
  routes: {
    "/health": { GET: () => Response.json({ status: "ok" }) },
    "/notes": { POST: createNote },
    "/notes/:id": { GET: getNote },
    "/stored-notes/:id": { GET: getStoredNote },
    "/account": { GET: getAccount },
  },
  fetch: () => {
    const { body } = envelopeOf(new Failure(404, "NOT_FOUND", "No route matches this path"));
    return Response.json(body, { status: 404 });
  },
  error: (error) => {
    const { failure, body } = envelopeOf(error);
    return Response.json(body, { status: failure.status });
  },
});
