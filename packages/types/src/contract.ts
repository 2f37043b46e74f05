/**
 * What one endpoint takes and gives. A member that is `void` is absent.
 *
 * @example
 * ```ts
 * interface NoteRoutes {
 *   "GET /notes/:id": RouteContract<{ id: string }, void, void, Note>;
 *   "POST /notes": RouteContract<void, void, CreateNoteInput, Note>;
 * }
 * ```
 */
export interface RouteContract<TParams = void, TQuery = void, TBody = void, TResponse = void> {
  params: TParams;
  query: TQuery;
  body: TBody;
  response: TResponse;
}

/** A key of a contract group: an HTTP method in upper case, a space, and a path that begins with a slash. */
export type RouteKey = `${"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS"} /${string}`;
