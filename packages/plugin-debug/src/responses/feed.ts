import type { RequestRecord } from "@kit/types";

import type { SidecarState } from "./sidecar-state.ts";
import type { Query } from "./query.ts";
import type { Feed, RequestSummary } from "./shapes.ts";

const defaultLimit = 200;

/**
 * Returns summaries of the requests that finished since the last poll, and of the requests in progress. The page sends its position in the
 * query, so the sidecar stores nothing about the page. If the history is a file that several processes write to, no number identifies new
 * requests, so the last requests are returned in each poll.
 */
export function feedOf(state: SidecarState, query: Query): Feed {
  const { instance, host, history, redaction } = state;
  const limit = query.limit(["limit"], defaultLimit);
  const [of, number] = (query.text("after") ?? "").split(".");
  const after = of === instance && /^\d{1,15}$/.test(number ?? "") ? Number(number) : undefined;
  const active = state.active();
  const answered = host.requests?.finishedCount ?? 0;
  const short = (record: RequestRecord): RequestSummary => summaryOf(redaction.request(record));
  const said = { instance, next: `${instance}.${answered}`, active: active.map(short) };
  if (state.isShared || after === undefined)
    return { ...said, requests: history.requests({ limit }).map(short), skipped: 0 };
  const from = Math.max(Math.min(after, answered), answered - limit);
  const { records, missed } = host.requests?.finished(from, { limit }) ?? { records: [], missed: 0 };
  return { ...said, requests: records.toReversed().map(short), skipped: Math.max(0, from - after) + missed };
}

function summaryOf(record: RequestRecord): RequestSummary {
  const { requestId, traceId, method, target, route, status, startTime, durationMs, isActive, phase, fault } =
    record;
  return {
    requestId,
    traceId,
    method,
    target,
    route,
    status,
    startTime,
    durationMs,
    isActive,
    phase,
    code: fault?.code ?? null,
    message: fault?.message ?? null,
  };
}
