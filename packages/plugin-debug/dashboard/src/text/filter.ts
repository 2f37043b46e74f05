import type { RequestSummary } from "../../../src/responses/shapes.ts";

/** Filter of the list of requests. An empty string means that the field does not filter. */
export interface Filter {
  readonly method: string;
  /** `2xx`, `5xx`, `failed` (400 and above) or `active`. */
  readonly status: string;
  /** Name of a route such as `GET /notes/:id`, or `none` for requests without a route. */
  readonly route: string;
  /**
   * Words to search for, ignoring case. Each must occur in the target, route, error code or message, or begin the trace id or request id.
   */
  readonly q: string;
}

/** Reads the filter from the query of the dashboard's address. */
export function readFilter(query: Readonly<Record<string, string>>): Filter {
  const { method = "", status = "", route = "", q = "" } = query;
  return { method, status, route, q };
}

/** Returns true if the filter leaves any request out. */
export function isNarrow({ method, status, route, q }: Filter): boolean {
  return method !== "" || status !== "" || route !== "" || q.trim() !== "";
}

/** Returns true if a request matches the filter. */
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
