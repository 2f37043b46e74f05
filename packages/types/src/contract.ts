/**
 * Contract of one route: its params, query, body and response. A part with the type `void` does not exist.
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
  /** Path parameters, by name. */
  params: TParams;
  /** Query keys. */
  query: TQuery;
  /** JSON body of the request. */
  body: TBody;
  /** JSON body of the response. */
  response: TResponse;
}

/** Key of a contract group: an HTTP method in upper case, a space, and a path that starts with a slash. */
export type RouteKey = `${"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS"} /${string}`;
