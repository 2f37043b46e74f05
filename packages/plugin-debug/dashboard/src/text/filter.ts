import type { RequestSummary } from "../../../src/answers/shapes.ts";

/** What the list of requests is narrowed to; an empty text narrows nothing. */
export interface Filter {
  readonly method: string;
  /** `2xx`, `5xx`, `failed` (400 and above), `active`. */
  readonly status: string;
  /** `GET /notes/:id`, or `none` for what no route took. */
  readonly route: string;
  /** Words that must all be there, in any case: of target, route, code, message; a trace id or request id, or its beginning. */
  readonly q: string;
}

/** Reads a filter of an address. */
export function readFilter(query: Readonly<Record<string, string>>): Filter {
  const { method = "", status = "", route = "", q = "" } = query;
  return { method, status, route, q };
}

/** Whether anything is narrowed. */
export function isNarrow({ method, status, route, q }: Filter): boolean {
  return method !== "" || status !== "" || route !== "" || q.trim() !== "";
}

/** Whether a request is among those that are looked for. */
export function matches(request: RequestSummary, filter: Filter): boolean {
  const { method, status, route, q } = filter;
  if (method !== "" && request.method !== method) return false;
  if (status !== "" && !hasStatus(request, status)) return false;
  if (route !== "" && (request.route ?? "none") !== route) return false;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const { target, method: verb, code, message, traceId, requestId, status: answered } = request;
  const text = [verb, target, request.route, answered || "", code, message].join(" ").toLowerCase();
  const ids = [traceId, requestId].map((id) => id.toLowerCase());
  return words.every((word) => text.includes(word) || ids.some((id) => id.startsWith(word)));
}

function hasStatus({ status, isActive }: RequestSummary, wanted: string): boolean {
  if (wanted === "active") return isActive;
  if (isActive) return false;
  if (wanted === "failed") return status >= 400;
  return `${Math.floor(status / 100)}xx` === wanted;
}
